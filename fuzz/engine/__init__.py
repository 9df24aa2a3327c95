"""A serving engine in small: requests whose pages grow and slide, forwards, host copies, transfers, and mistakes.

An operation is a name and a few numbers of fixed length, which it reads in the light of what there is: so any sequence
of operations is valid, and one that is cut still is.
"""
