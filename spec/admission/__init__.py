"""Admission: when a joint demand can be met, by which steps, and what a refusal must be true of.

A demand is feasible when there are spans that are a legal state's, contain every page that may not move, and have room
for what is in use and what is asked for. Nothing here says how such spans are found.
"""
