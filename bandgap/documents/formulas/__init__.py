"""The printing reading: the specification's own functions, run on terms that print.

`layout` turns formulas into lines, `terms` are what formulas are made of, `reading` runs the specification on them.
"""
