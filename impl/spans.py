"""Choosing the spans of a chain: without moving a page, or moving the fewest bytes."""

from collections.abc import Mapping, Sequence

from impl.arithmetic.admission import Needs, free_from, free_until
from impl.arithmetic.ends import useful_ends
from impl.arithmetic.grid import address, first_page_from, pages_until
from impl.chain import Chain
from impl.columns import Column, chosen, column
from impl.ledger import Extent
from impl.pages import Pages


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


def cheapest_spans(chain: Chain, needs: Sequence[Needs], bands: Sequence[Pages]) -> tuple[Extent, ...]:
    """The spans of least cost, for needs that are known to fit; exact.

    Only pages at which the bands below and above leave room are looked at, and none that could not be better than its
    neighbour.
    """
    froms, limits = free_from(chain.base, needs), free_until(chain.capacity, needs)
    columns: dict[int, Column] = {}
    below = None
    for band, need in enumerate(needs):
        if need.need:
            ends = _ends(chain, band, need, bands[band], froms[band], limits[band])
            below = columns[band] = column(need, bands[band].states, bands[band].live, ends, below)
    spans = [(pages.lo, pages.lo) for pages in bands]
    spans[0], spans[-1] = (chain.bottom, chain.bottom), (chain.top, chain.top)
    end = chain.capacity
    for band in reversed(columns):
        spans[band] = chosen(columns[band], end)
        end = address(needs[band].origin, needs[band].size, spans[band][0])
    return tuple(spans)


def _ends(chain: Chain, band: int, need: Needs, pages: Pages, free: int, limit: int) -> tuple[int, int, int, int]:
    lowest, highest = first_page_from(need.origin, need.size, free), pages_until(need.origin, need.size, limit)
    return useful_ends(
        *(need.need, need.pin_lo, need.pin_hi),
        *(lowest, highest, pages.live, pages.live_lo, pages.live_hi, chain.bottom, chain.top),
        is_first=band == 0,
        is_last=band == len(chain.bands) - 1,
    )
