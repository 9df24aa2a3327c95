"""Bandgap's own allocator on a simulated device."""

from collections.abc import Callable
from dataclasses import dataclass

from fuzz.targets.own import CHECKS
from fuzz.targets.protocol import Built, Land, Record
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.simulated.runtime import SimulatedEvent, SimulatedRuntime
from impl.layout import Layout
from impl.recording import RecordedAllocator
from spec.specification import INVARIANTS, STEPS, THEOREMS

DEVICE_CHECKS = frozenset({"race-free", "no-foreign-bytes", "no-host-sync"})
"""What can be seen only where work is done later than it is asked for."""

PROMISES = frozenset({*INVARIANTS, *STEPS, *THEOREMS, *CHECKS, *DEVICE_CHECKS})
"""Nothing of admission, which no device has a part in."""


class SimulatedDevice(ArenaDevice[SimulatedEvent]):
    """The arena on a simulated runtime, where a ticket's writes count as landed once the allocator's stream waits."""

    def __init__(self, chain: Chain, runtime: SimulatedRuntime, land: Land) -> None:
        self.simulated, self._land = runtime, land
        super().__init__(chain, runtime)

    def wait_for(self, ticket: int) -> None:
        """For whatever is ordered behind the allocator's stream, the writes of this ticket have landed."""
        super().wait_for(ticket)
        self._land(ticket)

    def resume_memory(self) -> None:
        """The sink is cleared at once, since whoever drives looks at it without waiting."""
        super().resume_memory()
        self.simulated.run_all()


@dataclass(frozen=True)
class SimulatedBuilt(Built):
    """A driven allocator, and the device on which the driver launches its work."""

    device: SimulatedDevice


@dataclass(frozen=True)
class SimulatedTarget:
    """The allocator of `impl`, on record, on a device that works as late and in any order as it may.

    Attributes:
        name: as a person chooses it.
        promises: the properties and checks that it must keep.
        runtime: makes the runtime that it works on.
    """

    name: str = "bandgap-simulated"
    promises: frozenset[str] = PROMISES
    runtime: Callable[[], SimulatedRuntime] = SimulatedRuntime

    def build(self, layout: Layout, arena_bytes: int, land: Land, record: Record) -> SimulatedBuilt:
        """See `Target.build`."""
        devices: list[SimulatedDevice] = []

        def device(chain: Chain) -> SimulatedDevice:
            devices.append(SimulatedDevice(chain, self.runtime(), land))
            return devices[-1]

        allocator = Allocator(layout, arena_bytes, device=device)
        return SimulatedBuilt(RecordedAllocator(allocator, record), lambda: devices[0].arena.numpy(), devices[0])


SIMULATED = SimulatedTarget()

ORDER = SimulatedTarget("bandgap-order", frozenset({"race-free", "ledger-gated-reuse"}))
"""The same where nothing counts but that no bytes race, and no page is handed out under whoever holds it."""
