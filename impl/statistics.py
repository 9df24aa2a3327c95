"""Plain figures of what an allocator did and holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from impl.arithmetic.grid import address
from impl.band import Band
from impl.chain import Chain
from impl.counters import Counters
from impl.ledger import Ledger


@dataclass(frozen=True, slots=True)
class KindStatistics:
    """One kind now (pages, unless said otherwise), and what happened to it so far."""

    name: str
    page_bytes: int
    span: int
    live: int
    withheld: int
    holes: int
    allocated: int
    freed: int
    moved: int
    copied: int

    @property
    def fragmentation(self) -> float:
        """The share of the span that is holes, from 0 to 1; 0 for an empty span."""
        return self.holes / self.span if self.span else 0.0

    @property
    def bytes_moved(self) -> int:
        """Bytes copied to move pages, so far."""
        return self.moved * self.page_bytes

    @property
    def bytes_copied(self) -> int:
        """Bytes copied because a new page began as a copy of another, so far."""
        return self.copied * self.page_bytes


@dataclass(frozen=True, slots=True)
class Statistics:
    """An allocator now, and what happened so far."""

    kinds: tuple[KindStatistics, ...]
    gap_bytes: int
    """Bytes of the arena in no span; those of the sink do not count."""
    outstanding: int
    """Tickets that have not retired."""
    publishers: int
    calls: int
    refusals: dict[str, int] = field(default_factory=dict)
    """By reason."""
    steps: dict[int, int] = field(default_factory=dict)
    """Allocations by the step that met them."""
    settled: int = 0
    """Tickets that were settled, by a call of their own or inside an allocation."""
    largest_gap_bytes: int = 0
    """Of the gaps between neighbouring spans, and between them and the arena's ends, the widest."""
    quarantined: int = 0
    """Those of the outstanding tickets that are in quarantine."""

    @property
    def bytes_moved(self) -> int:
        """Bytes copied to move pages, so far."""
        return sum(kind.bytes_moved for kind in self.kinds)

    @property
    def free_bytes(self) -> int:
        """Bytes of gaps and holes."""
        return self.gap_bytes + sum(kind.holes * kind.page_bytes for kind in self.kinds)

    @property
    def fragmentation(self) -> float:
        """The share of the free bytes that lie elsewhere than in the largest gap, from 0 to 1; 0 if none is free."""
        return 1 - self.largest_gap_bytes / self.free_bytes if self.free_bytes else 0.0


def statistics_of(
    chain: Chain, bands: Sequence[Band], ledger: Ledger, publishers: int, counters: Counters
) -> Statistics:
    """The figures of an allocator between two calls; `publishers` is how many have published addresses."""
    gaps = list(_gaps(chain, bands))
    return Statistics(
        tuple(map(_of_kind, bands)),
        sum(gaps),
        len(ledger.tickets),
        publishers,
        counters.calls,
        dict(counters.refusals),
        dict(counters.admitted),
        counters.settled,
        max(gaps),
        len(ledger.quarantined),
    )


def _of_kind(band: Band) -> KindStatistics:
    geometry, pages, counters = band.geometry, band.pages, band.counters
    return KindStatistics(
        geometry.name,
        geometry.page_bytes,
        pages.hi - pages.lo,
        pages.live,
        pages.withheld,
        pages.holes,
        counters.allocated,
        counters.freed,
        counters.moved,
        counters.copied,
    )


def _gaps(chain: Chain, bands: Sequence[Band]) -> Iterator[int]:
    """The bytes below each span that is not empty, and those above the last."""
    free = chain.base
    for band in bands:
        lo, hi, origin, size = band.pages.lo, band.pages.hi, band.geometry.origin, band.geometry.page_bytes
        if lo < hi:
            yield address(origin, size, lo) - free
            free = address(origin, size, hi)
    yield chain.capacity - free
