"""Lazy compaction: bounded, never undone, and in the end as good as the pins allow."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import records as r
from impl import compaction
from impl.allocator import Allocator
from impl.chain import chain_for
from impl.device.metadata import MetadataDevice
from impl.pages import HOLE, LIVE, Pages
from impl.recording import RecordedAllocator
from spec.judge.judge import Judge
from tests.impl.toys import Driver, filled, random_layout, toy_layout


def smallest_spans(allocator: Allocator) -> list[int]:
    """Pages of the smallest span of each band that contains what is pinned, found from a snapshot alone."""
    header, snapshot = allocator.header(), allocator.snapshot()
    sizes = []
    for band, its in enumerate(snapshot.bands):
        in_use = len(its.pages) + len(its.withheld)
        pinned = [entry.page for ticket in snapshot.tickets for entry in ticket.entries if entry.band == band]
        if not pinned:
            sizes.append(in_use)
        elif band == 0:
            sizes.append(max(in_use, max(pinned) + 1 - header.bottom))
        elif band == len(header.bands) - 1:
            sizes.append(max(in_use, header.top - min(pinned)))
        else:
            sizes.append(max(in_use, max(pinned) + 1 - min(pinned)))
    return sizes


def spans(allocator: Allocator) -> list[int]:
    return [kind.span for kind in allocator.statistics().kinds]


SEEDS = range(60)

PATIENCE = {"as it is": (1 << 16, 1 << 8), "looking at one page": (1, 0)}
"""`LOOK` and `LOOK_PER_MOVE`."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("patience", PATIENCE.values(), ids=PATIENCE)
def test_idle_compaction_ends_with_the_smallest_spans_that_pins_allow(
    seed: int, patience: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "LOOK", patience[0])
    monkeypatch.setattr(compaction, "LOOK_PER_MOVE", patience[1])
    rnd = Random(seed)
    layout = random_layout(rnd, 2 + seed % 3)
    sizes = [kind.page_bytes for kind in layout.kinds]
    judge = Judge()
    moves: list[r.Moved] = []

    def record(each: r.AnyRecord) -> None:
        assert judge.take(each) is None
        if isinstance(each, r.Moved):
            moves.append(each)

    allocator = Allocator(layout, 256 + 3 * max(sizes) + sum(rnd.randint(4, 20) * size for size in sizes))
    recorded = RecordedAllocator(allocator, record)
    driver = Driver(recorded, rnd)
    for _ in range(rnd.randint(10, 150)):
        driver.step()
    for who in driver.publishers:
        recorded.unpublish(who)
    moves.clear()
    ranks, gaps = [spans(allocator)], [allocator.statistics().gap_bytes]
    holes = sum(kind.holes for kind in allocator.statistics().kinds)
    before = allocator.snapshot()
    while True:
        budget = max(sizes) + rnd.choice((0, 0, 0, rnd.randint(0, 300)))
        moved = recorded.compact(budget)
        allocator.check()
        assert moved <= budget
        if not moved:
            break
        ranks.append(spans(allocator))
        gaps.append(allocator.statistics().gap_bytes)
    for one, other in pairwise(ranks):
        assert sum(other) < sum(one), "the rank of a layout falls with each call that moves anything"
        assert all(later <= earlier for earlier, later in zip(one, other, strict=True))
    assert all(one < other for one, other in pairwise(gaps)), "what is freed joins the gaps"
    assert spans(allocator) == smallest_spans(allocator)
    assert sum(len(each.sources) for each in moves) <= holes
    if patience[0] > 1:
        _assert_no_page_moves_twice(moves)
    after = allocator.snapshot()
    assert [sorted(band.ids) for band in after.bands] == [sorted(band.ids) for band in before.bands]
    assert after.tickets == before.tickets
    assert recorded.compact(10**9) == 0


def _assert_no_page_moves_twice(moves: list[r.Moved]) -> None:
    arrived: set[tuple[int, int]] = set()
    for each in moves:
        assert arrived.isdisjoint((each.band, page) for page in each.sources)
        arrived |= {(each.band, page) for page in each.targets}


def test_a_page_of_the_frontier_that_is_held_keeps_the_span_and_what_lies_behind_it_is_left_alone() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 20)
    ids = filled(allocator, [0, 16])[1]
    order = ids[allocator.translate(1, ids).argsort()]
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, 1, order[:1], "read")
    allocator.release(1, order[4:12])
    assert allocator.compact(10**6) == 0, "no move would make the span smaller"
    allocator.complete(ticket)
    assert allocator.compact(10**6) == 4 * 64


def test_the_budget_is_shared_from_the_low_end_on() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 32)), 256 + 960)
    states, fulls = filled(allocator, [6, 6])
    allocator.release(0, states[allocator.translate(0, states).argsort()[:2]])
    allocator.release(1, fulls[allocator.translate(1, fulls).argsort()[-2:]])
    assert allocator.compact(63) == 32, "a page of the other kind fits"
    assert allocator.compact(64 + 31) == 64
    assert allocator.compact(10**6) == 64 + 32
    assert allocator.compact(10**6) == 0


# ------------------------------------------------------------------------------------------------------- bounded work


@given(st.lists(st.sampled_from((HOLE, LIVE)), min_size=1, max_size=60), st.data())
def test_the_outermost_pages_in_a_state(states: list[int], data: st.DataObject) -> None:
    layout = toy_layout(("state", 64), ("full", 64))
    pages = Pages(chain_for(layout, 256 + 64 * 80).bands[0], low_end=True, high_end=False)
    pages.states[: len(states)] = states
    lo = data.draw(st.integers(0, len(states)))
    hi = data.draw(st.integers(lo, len(states)))
    at_most, look = data.draw(st.integers(0, 20)), data.draw(st.integers(1, 30))
    for from_top in (False, True):
        wanted = [page for page in range(lo, hi) if states[page] == LIVE]
        wanted = (wanted[::-1] if from_top else wanted)[:at_most]
        within = [page for page in wanted if abs(page - wanted[0]) < look]
        found = pages.outermost(LIVE, lo, hi, at_most, look, from_top=from_top).tolist()
        assert found == wanted[: len(found)]
        assert len(found) >= len(within)


def looked_at(pages: Pages, at_most: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """The pages that choosing the moves of a band looks at, those that a search for a byte passes left aside."""
    looks: list[int] = []
    original = Pages.pages_that_are

    def counting(self: Pages, state: int, lo: int, hi: int) -> np.ndarray:
        looks.append(max(0, hi - lo))
        return original(self, state, lo, hi)

    with monkeypatch.context() as patched:
        patched.setattr(Pages, "pages_that_are", counting)
        moves = compaction.compacting_moves(pages, (0, 0), at_most)
    assert moves is not None
    assert 0 < moves[0].size == moves[1].size <= at_most
    return sum(looks)


@pytest.mark.parametrize("band", [0, 1], ids=["a band at the low end", "a band at the high end"])
@pytest.mark.parametrize("at_most", [1, 100])
def test_choosing_moves_looks_at_a_bounded_number_of_pages(
    band: int, at_most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 1_000_000
    layout = toy_layout(("state", 16), ("full", 16))
    allocator = Allocator(layout, 256 + 16 * (count + 100), device=MetadataDevice)
    demand = [0, 0]
    demand[band] = count
    ids = filled(allocator, demand)[band]
    order = ids[allocator.translate(band, ids).argsort()]
    # every 100th page lives, so that neither sources nor holes are scarce, and at both sides long runs of one sort
    kept = np.zeros(count, bool)
    kept[::100] = True
    kept[:200_000] = band == 0
    kept[-200_000:] = band == 1
    kept[[0, -1]] = True
    allocator.release(band, order[~kept])
    pages = allocator._bands[band].pages
    bound = 3 * 4 / 3 * (compaction.LOOK + compaction.LOOK_PER_MOVE * at_most)
    assert looked_at(pages, at_most, monkeypatch) <= bound < count / 2
    allocator.compact(at_most * allocator.chain.bands[band].page_bytes)
    allocator.check()


def test_a_large_float_is_compacted_by_counting_some_of_its_pages() -> None:
    layout = toy_layout(("state", 64), ("window9", 16), ("full", 64))
    allocator = Allocator(layout, 256 + 16 * 400_000, device=MetadataDevice)
    ids = filled(allocator, [0, 300_000, 0])[1]
    order = ids[allocator.translate(1, ids).argsort()]
    rnd = np.random.default_rng(3)
    dense = np.zeros(ids.size, bool)
    dense[100_000:220_000] = True
    kept = rnd.random(ids.size) < np.where(dense, 0.9, 0.1)
    allocator.release(1, order[~kept])
    live = int(kept.sum())
    moved = 0
    calls = 0
    before = allocator.statistics().kinds[1].span
    while now := allocator.compact(16 * 2000):
        moved += now // 16
        calls += 1
        span = allocator.statistics().kinds[1].span
        assert span < before
        before = span
    assert before == live
    below = np.concatenate(([0], kept.cumsum()))
    least = live - int((below[live:] - below[:-live]).max())
    assert least <= moved <= 1.1 * least, f"{moved} pages moved in {calls} calls, and {least} would have to be"
    allocator.check()


def test_a_float_that_is_pinned_at_its_low_edge_closes_up_to_it() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("window9", 32), ("full", 32)), 1 << 12)
    ids = allocator.allocate([0, 10, 0]).ids[1]  # type: ignore[union-attr]  # the arena is empty
    by_page = sorted(ids.tolist(), key=lambda vid: int(allocator.translate(1, [vid])[0]))
    ticket = allocator.open("forward", "main")
    pinned = int(allocator.hold(ticket, 1, by_page[:1], "read")[0])
    allocator.release(1, by_page[1:5])
    assert allocator.compact(10**6) == 4 * 32
    span = allocator.snapshot().bands[1]
    assert (span.lo, span.hi) == (pinned, pinned + 6)
    assert int(allocator.translate(1, by_page[:1])[0]) == pinned
    allocator.check()
