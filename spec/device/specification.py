"""The whole specification of the device, loaded."""

from spec.device import actions, invariants, steps, theorems
from spec.device.catalog import ACTIONS, INVARIANTS, PREFIX, STEPS, THEOREMS

__all__ = ["ACTIONS", "INVARIANTS", "PREFIX", "STEPS", "THEOREMS", "actions", "invariants", "steps", "theorems"]
