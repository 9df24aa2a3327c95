"""Every seeded fault there is."""

from fuzz.faults import ledger
from fuzz.faults.fault import FAULTS

__all__ = ["FAULTS", "ledger"]
