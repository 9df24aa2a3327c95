"""Every seeded fault there is."""

from fuzz.faults import device, endings, interface, ledger, moving, recorder, room
from fuzz.faults.fault import FAULTS

__all__ = ["FAULTS", "device", "endings", "interface", "ledger", "moving", "recorder", "room"]
