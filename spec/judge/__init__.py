"""The judge: the specification on Python values, in place and fast, taking a trace line by line.

Nothing in this room says what an action is or when it is legal; that is read from the catalogue.
"""
