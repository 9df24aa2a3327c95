"""Contracts of the arithmetic, which CrossHair confirms by running its very lines on all paths.

The proofs of admission say more, but of the lines as `admission.code` reads them.
"""
