"""Choosing the spans of a chain: without moving a page, or moving the fewest bytes."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from impl.arithmetic.admission import Needs, free_from, free_until
from impl.arithmetic.grid import address, first_page_from, pages_until
from impl.chain import Chain
from impl.ledger import Extent
from impl.numbers import Int64
from impl.pages import LIVE, Pages

NOWHERE: Final = 1 << 62
"""A cost that no layout has, in bytes."""


def spans_in_place(chain: Chain, needs: Sequence[Needs], placement: Mapping[int, float]) -> tuple[Extent, ...]:
    """Spans that contain the present ones, for needs that are known to fit so.

    A float grows towards the wider of the gaps beside it.  One that was empty appears where `placement` says, as a
    fraction of the arena, or in the middle of the gap between its neighbours, where all have the most room to grow.

    Args:
        chain: the geometry.
        needs: pages that each band must have; pinned is all that is in use.
        placement: of some bands.
    """
    limits = free_until(chain.capacity, needs)
    last = len(needs) - 1
    free = chain.base
    spans = []
    for band, (origin, size, need, lo, hi) in enumerate(needs):
        if band == 0:
            lo, hi = chain.bottom, max(hi, chain.bottom + need)
        elif band == last:
            lo, hi = min(lo, chain.top - need) if lo < hi else chain.top - need, chain.top
        elif need > hi - lo:
            lowest, highest = first_page_from(origin, size, free), pages_until(origin, size, limits[band])
            if lo == hi:
                lo = _appearance(chain, needs[band], lowest, highest - need, placement.get(band))
                hi = lo + need
            else:
                more, below, above = need - (hi - lo), lo - lowest, highest - hi
                down = min(more, below) if below >= above else max(0, more - above)
                lo, hi = lo - down, hi + more - down
        if lo < hi:
            free = address(origin, size, hi)
        spans.append((lo, hi))
    return tuple(spans)


def _appearance(chain: Chain, need: Needs, lowest: int, highest: int, wish: float | None) -> int:
    if wish is None:
        return (lowest + highest) // 2
    wished = pages_until(need.origin, need.size, chain.base + int(wish * (chain.capacity - chain.base)))
    return min(max(wished, lowest), highest)


class _Column(NamedTuple):
    """What is known about the spans of one band, for each page at which they may begin or end."""

    band: int
    need: Needs
    first_lo: int
    begun: Int64
    """Least bytes moved below and in the band by beginning at page first_lo + i, what lies above its end aside."""
    first_hi: int
    ended: Int64
    """Least bytes moved below and in the band by ending at page first_hi + i."""


def cheapest_spans(chain: Chain, needs: Sequence[Needs], bands: Sequence[Pages]) -> tuple[Extent, ...]:
    """The spans of least cost, for needs that are known to fit; exact.

    The cost of a span is the bytes of the live pages outside it: each of them is moved once.  With `L(p)` the count of
    live pages below p, of n in all, the least cost up to band b ending at hi is

        F_b(hi) = P_b (n - L(hi)) + min over lo <= hi - need of P_b L(lo) + min over ends at or below lo of F_(b-1)

    Only pages at which the bands below and above leave room are looked at, and none that could not be better than its
    neighbour.  Of equally good spans the highest beginning and the lowest end are chosen, so that no page is in a span
    without need.
    """
    froms, limits = free_from(chain.base, needs), free_until(chain.capacity, needs)
    columns: list[_Column] = []
    for band, need in enumerate(needs):
        if need.need:
            room = first_page_from(*need[:2], froms[band]), pages_until(*need[:2], limits[band])
            columns.append(_column(chain, band, need, bands[band], room, columns[-1] if columns else None))
    spans = [(pages.lo, pages.lo) for pages in bands]
    spans[0], spans[-1] = (chain.bottom, chain.bottom), (chain.top, chain.top)
    end = chain.capacity
    for column in reversed(columns):
        need = column.need
        last = pages_until(need.origin, need.size, end) - column.first_hi
        hi = column.first_hi + int(column.ended[: last + 1].argmin())
        begun = column.begun[: hi - need.need - column.first_lo + 1]
        lo = column.first_lo + begun.size - 1 - int(begun[::-1].argmin())
        spans[column.band] = lo, hi
        end = address(need.origin, need.size, lo)
    return tuple(spans)


def _column(
    chain: Chain, band: int, need: Needs, pages: Pages, room: tuple[int, int], below: _Column | None
) -> _Column:
    lowest, highest = room
    pinned = need.pin_lo < need.pin_hi
    lo_max = min(highest - need.need, need.pin_lo) if pinned else highest - need.need
    hi_min = max(lowest + need.need, need.pin_hi) if pinned else lowest + need.need
    lo_min, hi_max = lowest, highest
    # a span that begins below its first live page, or ends above its last one, gains nothing by reaching further
    useful_lo, useful_hi = hi_min - need.need, lo_max + need.need
    if pinned:
        useful_lo, useful_hi = min(useful_lo, need.pin_lo), max(useful_hi, need.pin_hi)
    if pages.live:
        useful_lo, useful_hi = min(useful_lo, pages.live_lo), max(useful_hi, pages.live_hi)
    lo_min, hi_max = max(lo_min, useful_lo), min(hi_max, useful_hi)
    if band == 0:
        lo_min = lo_max = chain.bottom
    if band == len(chain.bands) - 1:
        hi_min = hi_max = chain.top
    begun = need.size * _live_below(pages, lo_min, lo_max)
    if below is not None:
        begun += _cost_below(below, need, lo_min, lo_max)
    best = np.minimum.accumulate(begun)
    reach = np.minimum(np.arange(hi_min, hi_max + 1) - need.need, lo_max) - lo_min
    ended = best[reach] + need.size * (pages.live - _live_below(pages, hi_min, hi_max))
    return _Column(band, need, lo_min, begun, hi_min, ended)


def _live_below(pages: Pages, first: int, last: int) -> Int64:
    """For each page first <= p <= last, how many live pages are below it."""
    counts = np.zeros(last - first + 1, np.int64)
    np.cumsum(pages.states[first:last] == LIVE, out=counts[1:])
    counts += np.count_nonzero(pages.states[:first] == LIVE)
    return counts


def _cost_below(below: _Column, need: Needs, lo_min: int, lo_max: int) -> Int64:
    """For each page at which a band may begin, the least cost of what lies below it."""
    starts = need.origin + need.size * np.arange(lo_min, lo_max + 1)
    fitting = (starts - below.need.origin) // below.need.size - below.first_hi + 1
    fitting = np.clip(fitting, 0, below.ended.size)
    costs = np.concatenate(([NOWHERE], np.minimum.accumulate(below.ended)))
    cost: Int64 = costs[fitting]
    return cost
