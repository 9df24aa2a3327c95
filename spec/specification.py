"""The whole specification, loaded: the catalogue with every action and property in it."""

from spec import actions, invariants, steps, theorems
from spec.catalog import ACTIONS, INVARIANTS, STEPS, THEOREMS

__all__ = ["ACTIONS", "INVARIANTS", "STEPS", "THEOREMS", "actions", "invariants", "steps", "theorems"]
