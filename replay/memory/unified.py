"""One arena under the real allocator; its bytes are those of a metadata device, so it may be as large as any GPU's."""

from collections.abc import Callable
from typing import Final

from events import records
from impl.allocator import Allocator
from impl.arithmetic.grid import address
from impl.device.metadata import MetadataDevice
from impl.layout import Kind, Layout
from impl.plan import IN_PLACE, Plan, Refusal
from impl.recording import RecordedAllocator
from replay.memory.protocol import Demand, Occupancy, Pages, Uses

STREAM: Final = "forward"
MODES: Final[tuple[records.Mode, records.Mode]] = ("write", "read")


class _Flight:
    """A forward in flight, and what of its ticket there is yet."""

    __slots__ = ("step", "ticket", "uses")

    def __init__(self, step: int, uses: Uses) -> None:
        self.step = step
        self.uses: Uses | None = uses
        self.ticket: int | None = None


class UnifiedMemory:
    """The allocator as an engine with overlap scheduling drives it.

    Each forward has a ticket that holds the pages it uses; new pages may settle it, which costs a stream that runs
    forwards in order no time. A ticket is opened as late as possible: holdings matter only where a page of the forward
    is given back, where pages would move, and where one is shared or copied. `eager` opens and fills it at once
    instead, as a recorded trace must show it; nothing else differs than which of several holes a page takes.

    Args:
        layout: the model's kinds.
        arena_bytes: the most bytes that the arena may have.
        record: takes the records of a trace; implies `eager`.
        eager: as said.
    """

    def __init__(
        self,
        layout: Layout,
        arena_bytes: int,
        record: Callable[[records.AnyRecord], None] | None = None,
        *,
        eager: bool = False,
    ) -> None:
        self.allocator = Allocator(layout, arena_bytes, device=MetadataDevice)
        self._asked: Allocator | RecordedAllocator = (
            self.allocator if record is None else RecordedAllocator(self.allocator, record)
        )
        self._eager = eager or record is not None
        self._flights: list[_Flight] = []
        self._empty = Allocator(layout, arena_bytes, device=MetadataDevice)
        self._whole = self.allocator.chain.capacity - self.allocator.chain.base
        self.moved_bytes = self.copied_bytes = 0

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """See `Memory.kinds`."""
        return tuple(band.kind for band in self.allocator.chain.bands)

    @property
    def capacity(self) -> int:
        """See `Memory.capacity`."""
        return self.allocator.chain.capacity

    @property
    def free_bytes(self) -> int:
        """Bytes in no live page, the holes and what is withheld included."""
        statistics = self.allocator.statistics()
        live = sum(kind.live * kind.page_bytes for kind in statistics.kinds)
        return self._whole - live

    def refusal(self, demand: Demand) -> Refusal | None:
        """See `Memory.refusal`."""
        plan = self.allocator.plan(demand, self._tickets())
        return plan if isinstance(plan, Refusal) else None

    def refusal_if_empty(self, demand: Demand) -> bool:
        """See `Memory.refusal_if_empty`."""
        return isinstance(self._empty.plan(demand), Refusal)

    def allocate(self, demand: Demand, originals: Pages | None = None) -> list[list[int]] | Refusal:
        """See `Memory.allocate`."""
        if originals is not None:
            self._hold_everything()
        elif not self._eager:
            plan = self.allocator.plan(demand, self._tickets())
            if isinstance(plan, Refusal):
                return plan
            if plan.step != IN_PLACE:
                self._hold_everything()
        grant = self._asked.allocate(demand, self._tickets(), originals)
        if isinstance(grant, Refusal):
            return grant
        self.moved_bytes += grant.plan.bytes_moved
        if originals is not None:
            sizes = zip(originals, self.allocator.chain.page_bytes, strict=True)
            self.copied_bytes += sum(len(ids) * size for ids, size in sizes)
        if grant.plan.settle:
            self._flights = [flight for flight in self._flights if flight.ticket not in grant.plan.settle]
        return [ids.tolist() for ids in grant.ids]

    def share(self, band: int, ids: list[int]) -> None:
        """See `Memory.share`."""
        # a page that is written needs a sole reference when it is held, not later
        self._hold_everything()
        self._asked.share(band, ids)

    def release(self, band: int, ids: list[int], *, in_flight: bool) -> None:
        """See `Memory.release`."""
        if in_flight and not self._eager:
            for flight in self._flights:
                if flight.uses is not None:
                    self._asked.hold(self._ticket(flight), band, ids, "read")
        self._asked.release(band, ids)

    def launched(self, step: int, uses: Uses) -> None:
        """See `Memory.launched`."""
        self._flights.append(_Flight(step, uses))
        if self._eager:
            self._hold_everything()

    def landed(self, step: int) -> None:
        """See `Memory.landed`."""
        while self._flights and self._flights[0].step <= step:
            flight = self._flights.pop(0)
            if flight.ticket is not None:
                self._asked.complete(flight.ticket)

    def occupancy(self) -> Occupancy:
        """See `Memory.occupancy`."""
        statistics, chain = self.allocator.statistics(), self.allocator.chain
        now = self.allocator.plan((0,) * len(chain.bands))
        assert isinstance(now, Plan), "a demand of nothing is met"
        begins, ends = [], []
        at = chain.base
        for band, (lo, hi) in zip(chain.bands, now.spans, strict=True):
            if lo < hi:
                begins.append(address(band.origin, band.page_bytes, lo))
                at = address(band.origin, band.page_bytes, hi)
                ends.append(at)
            else:
                begins.append(at)
                ends.append(at)
        return Occupancy(
            tuple(kind.live * kind.page_bytes for kind in statistics.kinds),
            tuple(begins),
            tuple(ends),
            tuple((kind.span - kind.live) * kind.page_bytes for kind in statistics.kinds),
            statistics.gap_bytes,
            statistics.fragmentation,
        )

    def live(self) -> tuple[int, ...]:
        """See `Memory.live`."""
        return tuple(kind.live for kind in self.allocator.statistics().kinds)

    def _tickets(self) -> list[int]:
        return [flight.ticket for flight in self._flights if flight.ticket is not None]

    def _ticket(self, flight: _Flight) -> int:
        if flight.ticket is None:
            flight.ticket = self._asked.open("forward", STREAM)
        return flight.ticket

    def _hold_everything(self) -> None:
        for flight in self._flights:
            if flight.uses is None:
                continue
            ticket = self._ticket(flight)
            for mode, pages in zip(MODES, flight.uses(), strict=True):
                for band, ids in enumerate(pages):
                    if ids:
                        self._asked.hold(ticket, band, ids, mode)
            flight.uses = None
