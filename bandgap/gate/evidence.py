"""What a check found, as plain values: no opinion on whether that is a pass."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bandgap.gate.violation import Violation


@dataclass(frozen=True)
class Count:
    """How much of something was done, and the least that is enough."""

    what: str
    number: int
    floor: int = 1
    """0 for a figure that is only shown."""


@dataclass(frozen=True)
class Canary:
    """A deliberate fault that a lane must catch, by the property that it names."""

    fault: str
    expects: str
    caught_by: str | None
    """The property that caught it; None when nothing did."""


@dataclass(frozen=True)
class Evidence:
    """What a task, or a whole lane, has to show."""

    counts: tuple[Count, ...] = ()
    coverage: tuple[tuple[str, int], ...] = ()
    """What was exercised, and how often; the lane says how often is enough."""
    violations: tuple[Violation, ...] = ()
    canaries: tuple[Canary, ...] = ()
    unknown: tuple[str, ...] = ()
    """What has no answer within its limit."""
    broken: tuple[str, ...] = ()
    """What could not be checked, because a tool or its set-up failed."""
    unfinished: tuple[str, ...] = ()
    """What was begun, or planned, and not finished."""
    notes: tuple[str, ...] = ()
    """What a reader should know and that does not touch the verdict."""


def together(parts: Iterable[Evidence]) -> Evidence:
    """The evidence of all parts, to be shown; counts of the same thing are added, and so are their floors."""
    parts = tuple(parts)
    counts: dict[str, Count] = {}
    for count in (count for part in parts for count in part.counts):
        known = counts.get(count.what, Count(count.what, 0, 0))
        counts[count.what] = replace(count, number=known.number + count.number, floor=known.floor + count.floor)
    return Evidence(
        tuple(counts.values()),
        _added(part.coverage for part in parts),
        tuple(x for part in parts for x in part.violations),
        tuple(x for part in parts for x in part.canaries),
        tuple(x for part in parts for x in part.unknown),
        tuple(x for part in parts for x in part.broken),
        tuple(x for part in parts for x in part.unfinished),
        tuple(x for part in parts for x in part.notes),
    )


def _added(coverages: Iterable[tuple[tuple[str, int], ...]]) -> tuple[tuple[str, int], ...]:
    total: Counter[str] = Counter()
    for coverage in coverages:
        total.update(dict(coverage))
    return tuple(sorted(total.items()))
