"""Where the allocator is tested: a device, its runtime, and how the host may not wait."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from fuzz.simulated.stage import Scheduler
from gpu_tests.surroundings import Surroundings
from impl.device.cuda import CudaEvent, CudaRuntime, TransferEnd
from impl.device.runtime import Runtime, Work


class Observed(Runtime[Any], Scheduler, Protocol):
    """A runtime as its driver has it, where nothing can be done sooner: `run_*` wait for it, and `step` gets in the way
    of a stream, so that others overtake it."""

    observe: Callable[[int | None], None]
    """Told when the work of a ticket, or with None of all tickets, has been waited for."""


@dataclass(frozen=True)
class Place:
    """A device on which the allocator is driven.

    Attributes:
        device: that holds the arena.
        runtime: makes the runtime of an allocator.
        unwaiting: inside, the host may not wait for the device: waiting raises an error there.
        captured: makes work into something to replay.
        pinned: whether the host's side of a copy is pinned.
    """

    device: torch.device
    runtime: Callable[[], Observed]
    unwaiting: Callable[[], AbstractContextManager[None]]
    captured: Callable[[Callable[[], object]], Callable[[], object]]
    pinned: bool


def on(here: Surroundings) -> Place:
    """The place on a GPU."""
    return Place(here.device, lambda: HinderedRuntime(here.device), _unwaiting, here.captured, pinned=True)


DELAYS: Sequence[int] = (20_000, 100_000, 400_000)
"""Clock cycles; about 10 us, 60 us and 0.2 ms on an H200."""


class HinderedRuntime(CudaRuntime):
    """CUDA's streams, on any of which a kernel that does nothing may take its time."""

    def __init__(self, device: torch.device) -> None:
        super().__init__(device)
        self.observe: Callable[[int | None], None] = lambda _: None

    def choices(self) -> int:
        """See `Scheduler.choices`."""
        return len(self._streams) * len(DELAYS)

    def step(self, choice: int) -> None:
        """See `Scheduler.step`."""
        if not self._streams:
            return
        name = list(self._streams)[choice % len(self._streams)]
        with torch.cuda.stream(self._streams[name]):
            torch.cuda._sleep(DELAYS[choice // len(self._streams) % len(DELAYS)])  # type: ignore[no-untyped-call]  # torch's own

    def run_towards(self, event: CudaEvent) -> None:
        """See `Scheduler.run_towards`."""
        event.synchronize()

    def run_through(self, work: Work) -> None:
        """See `Scheduler.run_through`."""
        torch.cuda.synchronize(self._device)
        self.observe(work.ticket)

    def run_all(self) -> None:
        """See `Scheduler.run_all`."""
        torch.cuda.synchronize(self._device)
        self.observe(None)


def end_of_copy(device: torch.device) -> TransferEnd:
    """The end of what is on the current stream now, as a network library would tell it."""
    event = torch.Event(device)
    event.record()
    return TransferEnd(event.query)


@contextmanager
def _unwaiting() -> Iterator[None]:
    before = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode(before)
