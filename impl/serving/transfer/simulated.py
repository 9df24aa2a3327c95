"""A network in one process: bytes are late, come in pieces and in any order, and land after all hope is lost."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import torch

from impl.device.arena import ArenaDevice
from impl.device.runtime import ARENA, Piece, Touch, Work
from impl.device.simulated.runtime import SimulatedEvent, SimulatedRuntime
from impl.serving.transfer.transport import MOST_AT_ONCE, Fate, Peer, Stretch

PIECES: Final = 2
"""Into which each stretch is cut."""


@dataclass(eq=False)
class _Flight:
    """A piece of a stretch: first in the sender's arena, then on the wire, then in the receiver's arena."""

    batch: "SimulatedBatch"
    source: int
    target: int
    size: int
    wire: torch.Tensor | None = None


@dataclass(eq=False)
class SimulatedBatch:
    """What was submitted at once.

    Attributes:
        sender: the address of whoever sends.
        receiver: the address of whoever it goes to.
        left: the pieces that have not landed.
        departures: the events at which pieces were read.
        failed: whether it was broken off.
    """

    sender: str
    receiver: str
    left: list[_Flight] = field(default_factory=list)
    departures: list[SimulatedEvent] = field(default_factory=list)
    failed: bool = False


class SimulatedNetwork:
    """Carries pieces between the arenas of simulated devices, when it is told to."""

    def __init__(self) -> None:
        self._devices: dict[str, ArenaDevice[Any]] = {}
        self._flights: list[_Flight] = []
        self._runtimes: dict[str, SimulatedRuntime] = {}
        self._landings: dict[str, list[SimulatedEvent]] = {}
        self.touched: list[tuple[str, int, int, bool]] = []
        """Address, first byte and size of what was read or has landed, in order, and whether it has landed."""

    def join(self, address: str, device: ArenaDevice[Any]) -> "SimulatedTransport":
        """The transport of an arena."""
        assert isinstance(device.runtime, SimulatedRuntime), "it says when anything is done"
        self._devices[address], self._runtimes[address], self._landings[address] = device, device.runtime, []
        return SimulatedTransport(self, address)

    def add(self, batch: SimulatedBatch, stretches: Sequence[Stretch]) -> None:
        """Let stretches of a batch fly, unless nobody is there."""
        if batch.receiver not in self._devices:
            batch.failed = True
            return
        for source, target, size in stretches:
            cuts = [size * number // PIECES for number in range(PIECES + 1)]
            for begin, end in itertools.pairwise(cuts):
                batch.left.append(_Flight(batch, source + begin, target + begin, end - begin))
        self._flights += batch.left

    def step(self, choice: int) -> bool:
        """Let one piece get on, the one that a number chooses; whether there was one."""
        if not self._flights:
            return False
        flight = self._flights[choice % len(self._flights)]
        if flight.wire is None:
            flight.wire = self._depart(flight)
        else:
            self._land(flight, flight.wire)
        return True

    def break_off(self, batch: SimulatedBatch) -> None:
        """A batch fails: what has left may still land, and nothing more leaves."""
        batch.failed = True
        self._flights = [flight for flight in self._flights if flight.batch is not batch or flight.wire is not None]

    def kill(self, address: str) -> None:
        """A process dies: what it sent before may still land, what is sent to it is lost."""
        for batch in {
            flight.batch for flight in self._flights if address in (flight.batch.sender, flight.batch.receiver)
        }:
            self.break_off(batch)
        self._flights = [flight for flight in self._flights if flight.batch.receiver != address]
        del self._devices[address]

    def flying(self, address: str) -> list[SimulatedBatch]:
        """The batches of a sender of which something has not landed."""
        return list({flight.batch: None for flight in self._flights if flight.batch.sender == address})

    def is_silent(self, sender: str, receiver: str) -> bool:
        """Whether nothing is on the way from one to another."""
        return not any((flight.batch.sender, flight.batch.receiver) == (sender, receiver) for flight in self._flights)

    def see(self, address: str) -> None:
        """A host is told something: whatever has landed by now is before whatever it does from now on."""
        for event in self._landings[address]:
            self._runtimes[address].is_done(event)
        self._landings[address].clear()

    def see_departures(self, batch: SimulatedBatch) -> None:
        """A host is told the end of a batch: what was read for it was read before."""
        for event in batch.departures:
            self._runtimes[batch.sender].is_done(event)

    def _depart(self, flight: _Flight) -> torch.Tensor:
        arena = self._devices[flight.batch.sender].arena
        begin, end = flight.source, flight.source + flight.size
        copies: list[torch.Tensor] = []
        event = _do(
            self._runtimes[flight.batch.sender],
            Touch(ARENA, begin, end, False, "bytes that are sent"),
            lambda: copies.append(arena[begin:end].clone()),
        )
        flight.batch.departures.append(event)
        self.touched.append((flight.batch.sender, begin, flight.size, False))
        return copies[0]

    def _land(self, flight: _Flight, wire: torch.Tensor) -> None:
        address = flight.batch.receiver
        arena = self._devices[address].arena
        begin, end = flight.target, flight.target + flight.size
        event = _do(
            self._runtimes[address],
            Touch(ARENA, begin, end, True, "bytes that land"),
            lambda: arena[begin:end].copy_(wire),
        )
        self._landings[address].append(event)
        self._flights.remove(flight)
        flight.batch.left.remove(flight)
        self.touched.append((address, begin, flight.size, True))


def _do(runtime: SimulatedRuntime, touch: Touch, run: Callable[[], object]) -> SimulatedEvent:
    """A transfer that happens now, and of which the host will know."""
    work = Work("transfer", (Piece(run, lambda: (touch,)),))
    event = runtime.transfer(work)
    runtime.run_through(work)
    return event


class SimulatedTransport:
    """The end of a `SimulatedNetwork` at one arena.

    Attributes:
        address: where peers reach it.
        base: nothing is added to a byte of its arena.
    """

    base = 0

    def __init__(self, network: SimulatedNetwork, address: str) -> None:
        self.address, self._network = address, network

    def submit(self, peer: Peer, stretches: Sequence[Stretch]) -> SimulatedBatch:
        """See `Transport.submit`."""
        assert 0 < len(stretches) <= MOST_AT_ONCE, "larger batches take connections from others"
        batch = SimulatedBatch(self.address, peer.address)
        self._network.add(batch, stretches)
        return batch

    def fate(self, batch: SimulatedBatch) -> Fate:
        """See `Transport.fate`."""
        if batch.left and not batch.failed:
            return Fate.FLYING
        self._network.see_departures(batch)
        return Fate.FAILED if batch.failed else Fate.LANDED

    def silence_after(self, peer: Peer) -> Callable[[], bool]:
        """See `Transport.silence_after`."""

        def is_silent() -> bool:
            if not self._network.is_silent(peer.address, self.address):
                return False
            self._network.see(self.address)
            return True

        return is_silent
