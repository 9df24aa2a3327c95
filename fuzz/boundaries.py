"""The boundaries of the state: what an arena looks like where the specification changes its answer."""

from typing import Final

from spec.judge.arena import JudgedArena

EMPTY: Final = "nothing is in use"
FULL: Final = "the arena is full"
TOUCHING: Final = "the two ends touch"
FLOAT_TOUCHES: Final = "a float touches a neighbour"
FLOAT_WEDGED: Final = "a float touches both neighbours"
TOO_NARROW: Final = "a gap is narrower than any page"
FLOAT_EMPTY: Final = "a float is empty between spans"
ONE_PAGE: Final = "a span is one page"
ALL_WITHHELD: Final = "everything in use is withheld"
CLOSED_OVER_HOLES: Final = "the gate is closed over holes"
ID_AGAIN: Final = "an id is handed out again"
LAST_ID: Final = "the last id is handed out"

BOUNDARIES: Final = (
    EMPTY,
    FULL,
    TOUCHING,
    FLOAT_TOUCHES,
    FLOAT_WEDGED,
    TOO_NARROW,
    FLOAT_EMPTY,
    ONE_PAGE,
    ALL_WITHHELD,
    CLOSED_OVER_HOLES,
    ID_AGAIN,
    LAST_ID,
)
"""By name. The last two are of a call; the others of the state after one."""


def boundaries_of(s: JudgedArena) -> list[str]:
    """Those at which an arena is."""
    found: list[str] = []
    extents, last = s.extents.bytes, s.bands - 1
    if not s.status:
        found.append(EMPTY)
    elif not s.refs:
        found.append(ALL_WITHHELD)
    in_spans, room, smallest = 0, 0, min(s.address.sizes)
    end, below, touched, highest = s.base, -1, -1, max(extents, default=-1)
    for band in range(s.bands):
        if band not in extents:
            if 0 < band < last and below >= 0 and band < highest:
                found.append(FLOAT_EMPTY)
            continue
        count = s.hi[band] - s.lo[band]
        in_spans += count
        if count == 1:
            found.append(ONE_PAGE)
        begin, after = extents[band]
        gap = begin - end
        room = max(room, gap)
        if below >= 0:
            if not gap:
                found.append(TOUCHING if (below, band) == (0, last) else FLOAT_TOUCHES)
                if touched == below:
                    found.append(FLOAT_WEDGED)
                touched = band
            elif gap < smallest:
                found.append(TOO_NARROW)
        end, below = after, band
    if len(s.status) < in_spans:
        if s.published:
            found.append(CLOSED_OVER_HOLES)
    elif in_spans and max(room, s.capacity - end) < smallest:
        found.append(FULL)
    return found
