"""`spec.lock`: a hash for each thing that the specification says, so that none is weakened unseen.

`items` reads the source of the specification and never runs it, so that any revision can be read; `lockfile` keeps the
hashes; `history` compares a revision with the tree.
"""
