"""Compaction of one band: which live pages to move into which of its holes, so that its span can be smaller."""

import numpy as np

from impl.ledger import Extent
from impl.numbers import Int64
from impl.pages import HOLE, LIVE, Pages


def compacting_moves(pages: Pages, pins: Extent, at_most: int) -> tuple[Int64, Int64] | None:
    """Sources and targets that let the span retreat the furthest with at most so many moves; none if it cannot.

    Args:
        pages: of the band.
        pins: the extent of its pages that may not move.
        at_most: pages that may be moved.
    """
    if not pages.holes or not at_most:
        return None
    lo, hi = _smallest_span(pages, pins)
    # the outermost pages first, so that the frontier retreats even if not all may be moved
    above = pages.pages_that_are(LIVE, hi, pages.hi)[::-1]
    below = pages.pages_that_are(LIVE, pages.lo, lo)
    sources = np.concatenate((above, below))[:at_most]
    if not sources.size:
        return None
    holes = pages.pages_that_are(HOLE, lo, hi)
    if pages.high_end:
        holes = holes[::-1]
    return sources, holes[: sources.size].copy()


def _smallest_span(pages: Pages, pins: Extent) -> Extent:
    pinned = pins[0] < pins[1]
    size = max(pages.in_use, pins[1] - pins[0])
    if pages.low_end:
        return pages.lo, max(pages.lo + size, pins[1]) if pinned else pages.lo + size
    if pages.high_end:
        return min(pages.hi - size, pins[0]) if pinned else pages.hi - size, pages.hi
    return _best_window(pages, pins, size)


def _best_window(pages: Pages, pins: Extent, size: int) -> Extent:
    """Of the windows of a size inside the span that contain the pins, the lowest with the most live pages."""
    first, last = pages.lo, pages.hi - size
    if pins[0] < pins[1]:
        first, last = max(first, pins[1] - size), min(last, pins[0])
    live = np.zeros(pages.hi - first + 1, np.int64)
    np.cumsum(pages.states[first : pages.hi] == LIVE, out=live[1:])
    starts = last - first + 1
    lo = first + int((live[size : size + starts] - live[:starts]).argmax())
    return lo, lo + size
