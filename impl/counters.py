"""What happened so far, counted as it happens."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class KindCounters:
    """What happened to one kind, in pages."""

    allocated: int = 0
    freed: int = 0
    moved: int = 0
    copied: int = 0
    """Pages that began as copies of others."""


@dataclass(slots=True)
class Counters:
    """What happened to an allocator."""

    calls: int = 0
    settled: int = 0
    """Tickets that were settled, by a call of their own or inside an allocation."""
    refusals: Counter[str] = field(default_factory=Counter)
    """By reason."""
    admitted: Counter[int] = field(default_factory=Counter)
    """Allocations by the step that met them."""
