"""Whether spans can be found for the bands of a chain."""

from collections.abc import Sequence
from typing import NamedTuple


class Want(NamedTuple):
    """What one band must get: at least so many pages, among them first <= page < end where there are any."""

    pages: int
    first: int = 0
    end: int = 0


class Chain(NamedTuple):
    """The bands in address order: the byte of each one's page 0, the bytes of its pages; and where all of them lie.

    The span of the first band begins at page `bottom`, that of the last ends at page `top`.
    """

    origins: Sequence[int]
    sizes: Sequence[int]
    base: int
    capacity: int
    bottom: int
    top: int


def fits(chain: Chain, wants: Sequence[Want]) -> bool:
    """Whether there are spans that are anchored, in order, inside the arena, and give every band what it must get.

    Each band is placed as high as it can be, from the high end on: a band that begins higher never leaves less room to
    those below it, so that if this finds no spans, there are none.  A band that must get nothing is in nobody's way.
    """
    limit = chain.capacity
    last = len(wants) - 1
    for band in range(last, -1, -1):
        pages, first, end = wants[band]
        if not pages:
            continue
        origin, size = chain.origins[band], chain.sizes[band]
        hi = chain.top if band == last else (limit - origin) // size
        lo = min(hi - pages, first) if first < end else hi - pages
        # the first band begins at the bottom, and so must be able to begin there or higher
        if end > hi or (band == 0 and lo < chain.bottom):
            return False
        limit = origin + lo * size
    return limit >= chain.base
