"""Bandgap's own allocator on real streams, as a target of the fuzzer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fuzz.targets.protocol import Built, Land, Record
from fuzz.targets.simulated import PROMISES
from gpu_tests.allocator.place import Observed, Place
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.recording import RecordedAllocator


class StreamDevice(ArenaDevice[Any]):
    """The arena on real streams; its driver is told when a ticket is waited for, and when it is seen to be over."""

    def __init__(self, chain: Chain, runtime: Observed, land: Land) -> None:
        self.observed, self._land = runtime, land
        super().__init__(chain, runtime)

    def wait_for(self, ticket: int) -> None:
        """For whatever is ordered behind the allocator's stream, the writes of this ticket have landed."""
        super().wait_for(ticket)
        self._land(ticket)

    def is_over(self, ticket: int) -> bool:
        """See `ArenaDevice.is_over`."""
        is_over = super().is_over(ticket)
        if is_over:
            self.observed.observe(ticket)
        return is_over


@dataclass(frozen=True)
class StreamBuilt(Built):
    """A driven allocator, the device on which the driver launches its work, and the place where that is."""

    device: StreamDevice
    place: Place


@dataclass(frozen=True)
class StreamTarget:
    """The allocator of `impl`, on record, at a place."""

    place: Place
    name: str = "bandgap-streams"
    promises: frozenset[str] = PROMISES

    def build(self, layout: Layout, arena_bytes: int, land: Land, record: Record) -> StreamBuilt:
        """See `Target.build`."""
        devices: list[StreamDevice] = []

        def device(chain: Chain) -> StreamDevice:
            devices.append(StreamDevice(chain, self.place.runtime(), land))
            return devices[-1]

        allocator = Allocator(layout, arena_bytes, device=device)
        return StreamBuilt(RecordedAllocator(allocator, record), _copy_of(devices), devices[0], self.place)


def _copy_of(devices: list[StreamDevice]) -> Callable[[], npt.NDArray[np.uint8]]:
    def copied() -> npt.NDArray[np.uint8]:
        devices[0].observed.run_all()
        arena: npt.NDArray[np.uint8] = devices[0].arena.cpu().numpy()
        return arena

    return copied
