"""What runs in another allocator's own Python: it drives that allocator, and writes down what it asked and saw.

Nothing here needs more than the standard library, so that any environment with Python 3.10 or newer will do.
"""
