"""Choosing the spans of a chain: without moving a page, or moving the fewest bytes."""

from collections.abc import Mapping, Sequence
from typing import Final

from impl.arithmetic.admission import Needs, free_from, free_until
from impl.arithmetic.ends import useful_ends
from impl.arithmetic.grid import address, first_page_from, pages_until
from impl.arithmetic.in_place import in_place
from impl.chain import Chain
from impl.columns import Column, chosen, column
from impl.ledger import Extent
from impl.pages import Pages

NO_WISH: Final = -1


def spans_in_place(chain: Chain, needs: Sequence[Needs], placement: Mapping[int, float]) -> tuple[Extent, ...]:
    """Spans that contain all that is in use, for needs that are known to fit so; see `impl.arithmetic.in_place`.

    Args:
        chain: the geometry.
        needs: pages that each band must have; pinned is all that is in use.
        placement: of some bands, as a fraction of the arena: where they appear if they were empty.
    """
    wishes = [NO_WISH] * len(needs)
    for band, wish in placement.items():
        wishes[band] = _wished(chain, needs[band], wish)
    limits = free_until(chain.capacity, needs)
    return tuple(in_place(chain.base, chain.bottom, chain.top, needs, limits, wishes))


def _wished(chain: Chain, need: Needs, wish: float) -> int:
    byte = chain.base + int(wish * (chain.capacity - chain.base))
    return max(0, pages_until(need.origin, need.size, byte))


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
