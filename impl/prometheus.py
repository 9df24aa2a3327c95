"""Statistics in the text format that Prometheus reads."""

from collections.abc import Callable, Iterable
from typing import Final

from impl.plan import COMPACT_ENDS, IN_PLACE, REASONS, RELAYOUT
from impl.statistics import KindStatistics, Statistics

STEP_NAMES: Final = {IN_PLACE: "in-place", COMPACT_ENDS: "compact-ends", RELAYOUT: "relayout"}

Sample = tuple[str, float]
"""Labels in braces, or nothing; and a value."""

_OF_KINDS: Final[tuple[tuple[str, str, str, Callable[[KindStatistics], float]], ...]] = (
    ("page_size_bytes", "gauge", "Bytes of one page.", lambda kind: kind.page_bytes),
    ("span_pages", "gauge", "Pages of the span: live, withheld and holes.", lambda kind: kind.span),
    ("live_pages", "gauge", "Pages at which a virtual page lives.", lambda kind: kind.live),
    ("withheld_pages", "gauge", "Pages free but for tickets that still hold them.", lambda kind: kind.withheld),
    ("hole_pages", "gauge", "Free pages inside the span.", lambda kind: kind.holes),
    ("span_fragmentation_ratio", "gauge", "Share of the span that is holes.", lambda kind: kind.fragmentation),
    ("allocated_pages_total", "counter", "Pages handed out.", lambda kind: kind.allocated),
    ("freed_pages_total", "counter", "Pages given up by their last reference.", lambda kind: kind.freed),
    ("moved_bytes_total", "counter", "Bytes copied to move pages.", lambda kind: kind.bytes_moved),
    ("forked_bytes_total", "counter", "Bytes copied for pages that began as copies.", lambda kind: kind.bytes_copied),
)
"""Name, type, help and value of what each kind has."""

_OF_ALL: Final[tuple[tuple[str, str, str, Callable[[Statistics], float]], ...]] = (
    ("gap_bytes", "gauge", "Bytes of the arena in no span.", lambda all_: all_.gap_bytes),
    ("largest_gap_bytes", "gauge", "Bytes of the widest gap between two spans.", lambda all_: all_.largest_gap_bytes),
    (
        "fragmentation_ratio",
        "gauge",
        "Share of the free bytes, which are those of gaps and holes, that lie elsewhere than in the largest gap.",
        lambda all_: all_.fragmentation,
    ),
    ("outstanding_tickets", "gauge", "Tickets that have not retired.", lambda all_: all_.outstanding),
    (
        "quarantined_tickets",
        "gauge",
        "Outstanding transfers that failed, and whose peer is not known to be gone.",
        lambda all_: all_.quarantined,
    ),
    ("publishers", "gauge", "Those who have published addresses, so that nothing moves.", lambda all_: all_.publishers),
    ("settled_tickets_total", "counter", "Tickets that were settled.", lambda all_: all_.settled),
    ("calls_total", "counter", "Calls taken.", lambda all_: all_.calls),
)
"""The same of what the allocator has."""


def prometheus_text(statistics: Statistics) -> str:
    """Every figure of an allocator, in Prometheus' text format 0.0.4.

    Units are part of the names: bytes, pages, tickets, and ratio for a share from 0 to 1. What a kind has bears its
    name as the label `kind`. Reasons of refusals and steps of admission are there from the beginning, at 0.
    """
    lines: list[str] = []
    for name, sort, meaning, of_kind in _OF_KINDS:
        samples = [(_labelled("kind", kind.name), of_kind(kind)) for kind in statistics.kinds]
        lines += _metric(name, sort, meaning, samples)
    for name, sort, meaning, of_all in _OF_ALL:
        lines += _metric(name, sort, meaning, [("", of_all(statistics))])
    refusals = [(_labelled("reason", reason), statistics.refusals.get(reason, 0)) for reason in REASONS]
    lines += _metric("refusals_total", "counter", "Joint demands that were refused.", refusals)
    steps = [(_labelled("step", name), statistics.steps.get(step, 0)) for step, name in STEP_NAMES.items()]
    lines += _metric("admissions_total", "counter", "Joint demands that were met, by what it took.", steps)
    return "\n".join(lines) + "\n"


def _metric(name: str, sort: str, meaning: str, samples: Iterable[Sample]) -> list[str]:
    described = [f"# HELP bandgap_{name} {meaning}", f"# TYPE bandgap_{name} {sort}"]
    return described + [f"bandgap_{name}{labels} {value}" for labels, value in samples]


def _labelled(label: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{{{label}="{escaped}"}}'
