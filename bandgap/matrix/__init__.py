"""The kill matrix: every seeded fault of the project, whatever it is a fault of, and what became of it.

Faults of different sorts are tried in different ways. Each sort is a source; all give rows of one shape.
"""
