"""Whether spans can be found for the bands of a chain."""

from collections.abc import Sequence
from typing import NamedTuple


class Want(NamedTuple):
    """What one band must get: at least so many pages, among them first <= page < end where there are any."""

    pages: int
    first: int = 0
    end: int = 0


Wanted = tuple[int, int, int]
"""The same without names, which takes a tenth of the time to make."""


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


def fits(chain: Chain, wants: Sequence[Wanted]) -> bool:
    """Whether there are spans that are anchored, in order, inside the arena, and give every band what it must get.

    Each band is placed as high as it can be, from the high end on: a band that begins higher never leaves less room to
    those below it, so that if this finds no spans, there are none. A band that must get nothing is in nobody's way.
    """
    origins, sizes, base, limit, bottom, top = chain
    band = last = len(wants) - 1
    while band >= 0:
        pages, first, end = wants[band]
        if pages:
            origin, size = origins[band], sizes[band]
            hi = top if band == last else (limit - origin) // size
            lo = hi - pages
            if first < end and first < lo:
                lo = first
            # the first band begins at the bottom, and so must be able to begin there or higher
            if end > hi or (band == 0 and lo < bottom):
                return False
            limit = origin + lo * size
        band -= 1
    return limit >= base
