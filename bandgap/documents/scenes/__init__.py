"""Worked examples: small scenes that are played by the specification whenever a document is made.

`stage` plays them, `arena` and `device` say what is played, `all` finds the scene of an action or a property.
"""
