"""Plain counters of what an allocator did and holds."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Counters:
    """What happened to one kind so far, in pages."""

    allocated: int = 0
    freed: int = 0
    moved: int = 0


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

    @property
    def fragmentation(self) -> float:
        """The share of the span that is holes, from 0 to 1."""
        return self.holes / self.span if self.span else 0.0

    @property
    def bytes_moved(self) -> int:
        """Bytes copied to move pages, so far."""
        return self.moved * self.page_bytes


@dataclass(frozen=True, slots=True)
class Statistics:
    """An allocator now, and what happened so far."""

    kinds: tuple[KindStatistics, ...]
    gap_bytes: int
    """Bytes of the arena in no span."""
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

    @property
    def bytes_moved(self) -> int:
        """Bytes copied to move pages, so far."""
        return sum(kind.bytes_moved for kind in self.kinds)
