"""Pure scalar arithmetic: integers in, integers and truth values out; the standard library only.

A step is straight-line code whose branches are written with the words of `choice`, or as `x if c else y`, `min` and
`max`, so that the same source lines can also be read with solver terms for numbers and with a solver's own words for
these. Loops over bands stand around the steps, never in them.
"""
