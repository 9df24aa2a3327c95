"""Spans for which no page moves: each contains all that its band has in use."""

from collections.abc import Sequence

from impl.arithmetic.admission import Needs
from impl.arithmetic.grid import address, first_page_from, pages_until

# Conditions are expressions of Python's own, of which only one side is worked out: this is done for many a page.


def in_place(
    base: int, bottom: int, top: int, chain: Sequence[Needs], limits: Sequence[int], wishes: Sequence[int]
) -> list[tuple[int, int]]:
    """Spans for needs that are known to fit, pinned being all that is in use: each with its pins and what it needs.

    The first band grows up and the last one down, both no further than they must.

    Args:
        base: the first byte of the arena.
        bottom: the page at which the first span begins.
        top: the page at which the last span ends.
        chain: what each band needs.
        limits: for each band, the byte at which the bands above it start when they are packed as high as they go.
        wishes: see `float_in_place`; the two ends have none.
    """
    origin, size, need, lo, hi = chain[0]
    hi = max(hi, bottom + need) if lo < hi else bottom + need
    free = address(origin, size, hi) if bottom < hi else base
    spans = [(bottom, hi)]
    for (origin, size, need, lo, hi), limit, wish in zip(chain[1:-1], limits[1:-1], wishes[1:-1], strict=True):
        lo, hi = float_in_place(free, limit, wish, origin, size, need, lo, hi) if need > hi - lo else (lo, hi)
        free = address(origin, size, hi) if lo < hi else free
        spans.append((lo, hi))
    _, _, need, lo, hi = chain[-1]
    lo = min(lo, top - need) if lo < hi else top - need
    return [*spans, (lo, top)]


def float_in_place(
    free: int, limit: int, wish: int, origin: int, size: int, need: int, pin_lo: int, pin_hi: int
) -> tuple[int, int]:
    """The span of a float that must gain pages, between two bytes where there is room for what it needs.

    It grows towards the wider of the gaps beside it. One that was empty appears at the page nearest to a wish; without
    one in the middle, where all have the most room to grow.

    Args:
        free: the first byte of its room.
        limit: the byte after the last.
        wish: a page; less than none if there is no wish.
        origin: of the band's grid.
        size: bytes of its pages.
        need: the count of pages, more than are in use.
        pin_lo: of the pages in use, of which there is none if it is `pin_hi`.
        pin_hi: of the same.
    """
    lowest, highest = first_page_from(origin, size, free), pages_until(origin, size, limit)
    more, below, above = need - (pin_hi - pin_lo), pin_lo - lowest, highest - pin_hi
    grown = pin_lo - (min(more, below) if below >= above else max(0, more - above))
    appeared = (lowest + highest - need) // 2 if wish < 0 else max(lowest, min(wish, highest - need))
    lo = grown if pin_lo < pin_hi else appeared
    return lo, lo + need
