"""What statistics count, and how Prometheus reads them."""

import re
from dataclasses import replace

import pytest

from impl.allocator import Allocator
from impl.plan import COMPACT_ENDS, IN_PLACE, Grant, Refusal
from impl.prometheus import prometheus_text
from impl.statistics import Statistics
from tests.impl.toys import filled, toy_layout

STATE, WINDOW, FULL = 0, 1, 2


@pytest.fixture
def allocator() -> Allocator:
    """Pages of 64, 48 and 32 bytes in 960 bytes; the float appears in the middle."""
    return Allocator(toy_layout(("state", 64), ("window9", 48), ("full", 32)), 256 + 960)


# ------------------------------------------------------------------------------------------------------------- figures


def test_gaps_lie_between_spans_that_are_not_empty(allocator: Allocator) -> None:
    empty = allocator.statistics()
    assert (empty.gap_bytes, empty.largest_gap_bytes, empty.free_bytes) == (960, 960, 960)
    filled(allocator, [2, 0, 3])
    ends = allocator.statistics()
    assert ends.gap_bytes == ends.largest_gap_bytes == 960 - 2 * 64 - 3 * 32
    filled(allocator, [0, 2, 0])
    window = allocator.snapshot().bands[WINDOW]
    below, above = window.lo * 48 - (256 + 2 * 64), (256 + 960 - 3 * 32) - window.hi * 48
    three = allocator.statistics()
    assert three.gap_bytes == below + above
    assert three.largest_gap_bytes == max(below, above)


def test_fragmentation_is_the_share_of_holes_in_a_span_and_of_free_bytes_outside_the_largest_gap(
    allocator: Allocator,
) -> None:
    assert allocator.statistics().fragmentation == 0, "all that is free is one gap"
    ids = filled(allocator, [0, 0, 8])[FULL]
    order = ids[allocator.translate(FULL, ids).argsort()]
    allocator.release(FULL, order[2:4])
    statistics = allocator.statistics()
    assert statistics.kinds[FULL].fragmentation == 2 / 8
    assert statistics.kinds[STATE].fragmentation == 0
    assert statistics.free_bytes == 960 - 6 * 32
    assert statistics.fragmentation == pytest.approx(2 * 32 / statistics.free_bytes)
    allocator.compact(10**6)
    assert allocator.statistics().fragmentation == 0


def test_a_full_arena_is_not_fragmented() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 8)
    filled(allocator, [3, 5])
    statistics = allocator.statistics()
    assert (statistics.free_bytes, statistics.fragmentation) == (0, 0)


def test_everything_that_happens_is_counted() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 8)
    ids = filled(allocator, [0, 8])[1]
    order = ids[allocator.translate(1, ids).argsort()]
    assert isinstance(allocator.allocate([9, 0]), Refusal)
    assert isinstance(allocator.allocate([1, 0]), Refusal)
    first, second = allocator.open("forward", "main"), allocator.open("transfer")
    allocator.hold(first, 1, order[2:4], "read")
    allocator.hold(second, 1, order[7:], "read")
    allocator.release(1, order[2:6])
    assert isinstance(allocator.allocate([0, 3]), Refusal)
    assert isinstance(allocator.allocate([4, 0], [first]), Grant)
    statistics = allocator.statistics()
    assert statistics.refusals == {"never": 1, "evict": 1, "after-release": 1}
    assert statistics.steps == {IN_PLACE: 1, COMPACT_ENDS: 1}
    assert (statistics.settled, statistics.outstanding, statistics.quarantined) == (1, 1, 0)
    assert statistics.bytes_moved == statistics.kinds[1].bytes_moved == 2 * 64
    assert [(kind.allocated, kind.freed) for kind in statistics.kinds] == [(4, 0), (8, 4)]


# ---------------------------------------------------------------------------------------------------------- Prometheus

_SAMPLE = re.compile(r'(bandgap_[a-z_]+)(?:\{([a-z]+)="((?:[^"\\\n]|\\[\\"n])*)"\})? (\S+)')
_UNITS = ("_bytes", "_pages", "_ratio", "_tickets", "_publishers", "_calls", "_refusals", "_admissions")


def scraped(text: str) -> dict[tuple[str, str | None, str | None], float]:
    """The samples by name, label and value of the label, read as the format's rules say."""
    assert text.endswith("\n")
    samples: dict[tuple[str, str | None, str | None], float] = {}
    described: dict[str, str] = {}
    helped = None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped, _, meaning = line.removeprefix("# HELP ").partition(" ")
            assert helped not in described, "described once"
            assert meaning
        elif line.startswith("# TYPE "):
            name, sort = line.removeprefix("# TYPE ").split(" ")
            assert name == helped, "help comes right before the type"
            described[name] = sort
        else:
            match = _SAMPLE.fullmatch(line)
            assert match, line
            name, label, value, number = match.groups()
            assert name == helped, "the samples of a metric are together, after its type"
            key = name, label, value and re.sub(r"\\(.)", lambda each: "\n" if each[1] == "n" else each[1], value)
            assert key not in samples, "each sample once"
            samples[key] = float(number)
    for name, sort in described.items():
        assert (sort == "counter") == name.endswith("_total"), name
        assert name.removesuffix("_total").endswith(_UNITS), f"{name} says no unit"
    return samples


def test_prometheus_is_told_every_figure(allocator: Allocator) -> None:
    ids = filled(allocator, [2, 3, 8])
    transfer = allocator.open("transfer")
    allocator.hold(transfer, FULL, ids[FULL][:2], "read")
    allocator.quarantine(transfer)
    allocator.open("forward", "main")
    order = ids[FULL][allocator.translate(FULL, ids[FULL]).argsort()]
    allocator.release(FULL, order[2:7])
    allocator.allocate([99, 0, 0])
    allocator.compact(10**6)
    allocator.publish("peer")
    statistics = allocator.statistics()
    samples = scraped(prometheus_text(statistics))
    for kind in statistics.kinds:
        for name, value in (
            ("page_size_bytes", kind.page_bytes),
            ("span_pages", kind.span),
            ("live_pages", kind.live),
            ("withheld_pages", kind.withheld),
            ("hole_pages", kind.holes),
            ("span_fragmentation_ratio", kind.fragmentation),
            ("allocated_pages_total", kind.allocated),
            ("freed_pages_total", kind.freed),
            ("moved_bytes_total", kind.bytes_moved),
            ("forked_bytes_total", kind.bytes_copied),
        ):
            assert samples.pop((f"bandgap_{name}", "kind", kind.name)) == value
    for name, value in (
        ("gap_bytes", statistics.gap_bytes),
        ("largest_gap_bytes", statistics.largest_gap_bytes),
        ("fragmentation_ratio", statistics.fragmentation),
        ("outstanding_tickets", 2),
        ("quarantined_tickets", 1),
        ("publishers", 1),
        ("settled_tickets_total", 0),
        ("calls_total", statistics.calls),
    ):
        assert samples.pop((f"bandgap_{name}", None, None)) == value
    assert samples == {
        ("bandgap_refusals_total", "reason", "never"): 1,
        ("bandgap_refusals_total", "reason", "after-release"): 0,
        ("bandgap_refusals_total", "reason", "evict"): 0,
        ("bandgap_admissions_total", "step", "in-place"): 1,
        ("bandgap_admissions_total", "step", "compact-ends"): 0,
        ("bandgap_admissions_total", "step", "relayout"): 0,
    }


def test_a_kind_of_any_name_makes_one_label(allocator: Allocator) -> None:
    statistics: Statistics = allocator.statistics()
    odd = 'a "kind"\\n of\nmemory\\'
    renamed = replace(statistics, kinds=(replace(statistics.kinds[0], name=odd), *statistics.kinds[1:]))
    assert ("bandgap_live_pages", "kind", odd) in scraped(prometheus_text(renamed))
