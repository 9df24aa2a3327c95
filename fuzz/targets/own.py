"""Bandgap's own allocator as a target."""

from dataclasses import dataclass

from fuzz.oracle.admission import PROPERTIES as ADMISSION
from fuzz.targets.protocol import Built, Land, Record
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.immediate import ImmediateDevice
from impl.layout import Layout
from impl.recording import RecordedAllocator
from spec.specification import INVARIANTS, STEPS, THEOREMS

CHECKS = frozenset({"agreement", "all-or-nothing", "crash", "no-foreign-bytes"})
"""What is checked besides the properties of states and steps."""

PROMISES = frozenset({*INVARIANTS, *STEPS, *THEOREMS, *ADMISSION, *CHECKS})


class LandingDevice(ImmediateDevice):
    """The immediate device, where a ticket's writes land at the latest when the allocator's stream waits for it."""

    def __init__(self, chain: Chain, land: Land) -> None:
        super().__init__(chain)
        self._land = land

    def wait_for(self, ticket: int) -> None:
        """The writes of this ticket have landed when it returns."""
        self._land(ticket)


@dataclass(frozen=True)
class OwnTarget:
    """The allocator of `impl`, on record, with its arena in the host's memory."""

    name: str = "bandgap"
    promises: frozenset[str] = PROMISES

    def build(self, layout: Layout, arena_bytes: int, land: Land, record: Record) -> Built:
        """See `Target.build`."""
        devices: list[LandingDevice] = []

        def device(chain: Chain) -> LandingDevice:
            devices.append(LandingDevice(chain, land))
            return devices[-1]

        allocator = Allocator(layout, arena_bytes, device=device)
        return Built(RecordedAllocator(allocator, record), lambda: devices[0].arena.numpy())


OWN = OwnTarget()
