"""Compaction of one band: which live pages to move into which of its holes, so that its span can be smaller.

Lazy compaction takes many calls, each of bounded work, and other calls may come in between. It needs no memory of what
it did before: every call that moves anything leaves a smaller span, and one that moves nothing leaves the smallest that
the pins allow.
"""

from typing import Final

import numpy as np

from impl.arithmetic.grid import ceil_div
from impl.ledger import Extent
from impl.numbers import Int64
from impl.pages import HOLE, LIVE, Pages

LOOK: Final = 1 << 16
LOOK_PER_MOVE: Final = 1 << 8
"""So many pages are looked at, and so many more for each page that may be moved; a look takes a nanosecond at most."""


def compacting_moves(pages: Pages, pins: Extent, at_most: int) -> tuple[Int64, Int64] | None:
    """Sources and targets that let the span retreat the furthest with at most so many moves; none if it cannot.

    Looks at the sides of the span and at the end of it that is to be filled, each time at no more than `LOOK +
    LOOK_PER_MOVE * at_most` pages; where nothing is found within that, moves are fewer, but never none. To skip the
    pages before the first that counts is a search for a byte, at the speed of memory.

    Args:
        pages: of the band.
        pins: the extent of its pages that may not move.
        at_most: pages that may be moved.
    """
    at_most = min(at_most, pages.live)
    if not pages.holes or not at_most:
        return None
    look = LOOK + LOOK_PER_MOVE * at_most
    lo, hi = _smallest_span(pages, pins)
    # the outermost pages first, so that the frontier retreats even if not all may be moved
    above = pages.outermost(LIVE, hi, pages.hi, at_most, look, from_top=True)
    below = pages.outermost(LIVE, pages.lo, lo, at_most - above.size, look, from_top=False)
    sources = np.concatenate((above, below))
    if not sources.size:
        return None
    targets = pages.outermost(HOLE, lo, hi, sources.size, look, from_top=pages.high_end)
    return sources[: targets.size], targets


def _smallest_span(pages: Pages, pins: Extent) -> Extent:
    pinned = pins[0] < pins[1]
    size = max(pages.in_use, pins[1] - pins[0])
    if pages.low_end:
        return pages.lo, max(pages.lo + size, pins[1]) if pinned else pages.lo + size
    if pages.high_end:
        return min(pages.hi - size, pins[0]) if pinned else pages.hi - size, pages.hi
    return _best_window(pages, pins, size)


def _best_window(pages: Pages, pins: Extent, size: int) -> Extent:
    """Of the windows of a size inside the span that contain the pins, the lowest with the most live pages.

    In a span of more than `LOOK` pages every n-th page is counted in place of all, so that it may be one with nearly
    the most.
    """
    first, last = pages.lo, pages.hi - size
    if pins[0] < pins[1]:
        first, last = max(first, pins[1] - size), min(last, pins[0])
    step = ceil_div(pages.hi - first, LOOK)
    counted = pages.states[first : pages.hi : step] == LIVE
    live = np.zeros(counted.size + 1, np.int64)
    np.cumsum(counted, out=live[1:])
    width = size // step
    starts = min((last - first) // step, counted.size - width) + 1
    lo = first + step * int((live[width : width + starts] - live[:starts]).argmax())
    return lo, lo + size
