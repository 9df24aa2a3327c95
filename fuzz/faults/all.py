"""Every seeded fault there is."""

from fuzz.faults import (
    admission,
    copies,
    device,
    endings,
    interface,
    ledger,
    moving,
    ordering,
    recorder,
    removals,
    room,
    wiping,
)
from fuzz.faults.fault import FAULTS

__all__ = [
    "FAULTS",
    "admission",
    "copies",
    "device",
    "endings",
    "interface",
    "ledger",
    "moving",
    "ordering",
    "recorder",
    "removals",
    "room",
    "wiping",
]
