"""The pages of one band: its span, what every page is, and which holes to hand out next."""

from typing import Final

import numpy as np
import numpy.typing as npt

from impl.chain import BandGeometry
from impl.numbers import NOTHING, Int64, largest, smallest
from impl.stack import Stack

OUTSIDE: Final = 0
"""Not in the span."""
HOLE: Final = 1
"""In the span and in no use."""
LIVE: Final = 2
"""A virtual page lives there."""
WITHHELD: Final = 3
"""Logically free, but a ticket still holds it."""

# as arrays, since numpy takes twice as long where it has to convert a number first
_OUTSIDE, _HOLE, _LIVE, _WITHHELD = (np.array(state, np.uint8) for state in (OUTSIDE, HOLE, LIVE, WITHHELD))
_LISTED, _UNLISTED = np.array(True), np.array(False)


class Pages:
    """The span lo <= page < hi of one band and the fate of each page.

    Between two calls a span is as small as it can be: the page at a side that may move is in use, or the span is empty.
    So no decision has to look for what is in use. Nothing here costs time in proportion to the band's pages, apart
    from searches for the next live byte, which run at the speed of memory.
    """

    __slots__ = (
        "_on_stack",
        "_stack",
        "_states",
        "geometry",
        "grid",
        "hi",
        "high_end",
        "id_at",
        "live",
        "live_hi",
        "live_lo",
        "lo",
        "low_end",
        "states",
        "withheld",
    )

    def __init__(self, geometry: BandGeometry, *, low_end: bool, high_end: bool) -> None:
        """An empty span; `low_end` and `high_end` say whether it must begin or end where the arena does."""
        limit = geometry.limit
        position = limit if high_end else geometry.first
        self.geometry = geometry
        self.grid = geometry.origin, geometry.page_bytes
        self.low_end, self.high_end = low_end, high_end
        self.lo = self.hi = position
        self.live = self.withheld = 0
        # the extent of the live pages; meaningless while there is none
        self.live_lo = self.live_hi = position
        # the same bytes twice: a bytearray finds the next live page fastest, an array takes batches
        self._states = bytearray(limit)
        self.states: npt.NDArray[np.uint8] = np.frombuffer(self._states, np.uint8)
        self.id_at: Int64 = np.zeros(limit, np.int64)
        # the list of holes: every hole is on the stack; what else is on it is passed over when it comes to the top
        self._stack = Stack(limit)
        self._on_stack = np.zeros(limit, np.bool_)

    @property
    def in_use(self) -> int:
        """Pages that are live or withheld."""
        return self.live + self.withheld

    @property
    def holes(self) -> int:
        """Free pages inside the span."""
        return self.hi - self.lo - self.live - self.withheld

    # ------------------------------------------------------------------------------------------------------- the span

    def appear(self, page: int) -> Int64:
        """An empty span becomes one page, which is to be made holes or settled in."""
        self.lo = self.hi = page
        return self.grow_high(1)

    def grow_low(self, count: int) -> Int64:
        """The span gains pages below: these, the highest first; they are to be made holes or settled in."""
        hi, lo = self.lo, self.lo - count
        self.lo = lo
        return np.arange(hi - 1, lo - 1, -1)

    def grow_high(self, count: int) -> Int64:
        """The span gains pages above: these, the lowest first; they are to be made holes or settled in."""
        lo, hi = self.hi, self.hi + count
        self.hi = hi
        return np.arange(lo, hi)

    def make_holes(self, fresh: Int64) -> None:
        """Pages that the span gained become holes."""
        self.states[fresh] = _HOLE
        self.list_holes(fresh)

    def absorb_low(self, count: int) -> None:
        """The span gives up its lowest pages, which are holes."""
        self.states[self.lo : self.lo + count] = _OUTSIDE
        self.lo += count

    def absorb_high(self, count: int) -> None:
        """The span gives up its highest pages, which are holes."""
        self.states[self.hi - count : self.hi] = _OUTSIDE
        self.hi -= count

    def has_free_edge(self) -> bool:
        """Whether the span could be smaller."""
        states, lo, hi = self._states, self.lo, self.hi
        if lo == hi:
            return False
        return (states[lo] == HOLE and not self.low_end) or (states[hi - 1] == HOLE and not self.high_end)

    def tight_span(self) -> tuple[int, int]:
        """The smallest span that holds all pages in use and is anchored where it must be."""
        lo, hi = self._extent()
        if lo == hi:
            return (self.hi, self.hi) if self.high_end else (self.lo, self.lo)
        return self.lo if self.low_end else lo, self.hi if self.high_end else hi

    def _extent(self) -> tuple[int, int]:
        states, withheld = self._states, self.withheld
        if self.live:
            lo, hi = self.live_lo, self.live_hi
            if withheld:
                below = states.find(WITHHELD, self.lo, lo)
                above = states.rfind(WITHHELD, hi, self.hi)
                lo, hi = below if below >= 0 else lo, above + 1 if above >= 0 else hi
            return lo, hi
        if withheld:
            return states.find(WITHHELD, self.lo, self.hi), states.rfind(WITHHELD, self.lo, self.hi) + 1
        return self.lo, self.lo

    # ------------------------------------------------------------------------------------------------------ the pages

    def list_holes(self, pages: Int64) -> None:
        """Pages that became holes may be handed out, the last one first, as far as they are still in the span."""
        if not self.holes:
            return
        # all other holes are listed; if nothing else is, then nothing that was absorbed is listed or among the pages
        if len(self._stack) != self.holes - pages.size:
            pages = pages[(self.states[pages] == _HOLE) & ~self._on_stack[pages]]
        self._on_stack[pages] = _LISTED
        self._stack.push(pages)

    def take_holes(self, count: int) -> Int64:
        """Listed holes to hand out, the last listed first; there must be as many."""
        if not count:
            return NOTHING
        pages = self._stack.peek(count)
        if pages.size == count and np.count_nonzero(self.states[pages] == _HOLE) == count:
            pages = self._stack.pop(count)
            self._on_stack[pages] = _UNLISTED
            return pages
        return self._sift_holes(count)

    def _sift_holes(self, count: int) -> Int64:
        found: list[Int64] = []
        missing = look_at = count
        while missing:
            batch = self._stack.peek(look_at)
            assert batch.size, "every hole is on the stack"
            valid = np.flatnonzero(self.states[batch] == HOLE)[:missing]
            missing -= valid.size
            passed = batch[: batch.size if missing else int(valid[-1]) + 1]
            found.append(batch[valid])
            self._on_stack[passed] = _UNLISTED
            self._stack.drop(passed.size)
            look_at *= 2
        return np.concatenate(found)

    def settle_in(self, pages: Int64, ids: Int64) -> None:
        """Holes become live, each the home of an id."""
        self.states[pages] = _LIVE
        self.id_at[pages] = ids
        lo, hi = smallest(pages), largest(pages) + 1
        if self.live:
            self.live_lo, self.live_hi = min(self.live_lo, lo), max(self.live_hi, hi)
        else:
            self.live_lo, self.live_hi = lo, hi
        self.live += pages.size

    def vacate(self, pages: Int64) -> None:
        """Live pages become holes, not listed yet."""
        self._leave(pages, _HOLE)

    def withhold(self, pages: Int64) -> None:
        """Live pages are left by their virtual pages and withheld."""
        self._leave(pages, _WITHHELD)
        self.withheld += pages.size

    def _leave(self, pages: Int64, state: npt.NDArray[np.uint8]) -> None:
        self.states[pages] = state
        self.live -= pages.size
        if self.live:
            states = self._states
            if states[self.live_lo] != LIVE:
                self.live_lo = states.find(LIVE, self.live_lo, self.live_hi)
            if states[self.live_hi - 1] != LIVE:
                self.live_hi = states.rfind(LIVE, self.live_lo, self.live_hi) + 1

    def withheld_among(self, pages: Int64) -> Int64:
        """Those of the pages that are withheld."""
        withheld: Int64 = pages[self.states[pages] == _WITHHELD]
        return withheld

    def give_back(self, pages: Int64) -> None:
        """Withheld pages become holes, not listed yet."""
        self.states[pages] = _HOLE
        self.withheld -= pages.size

    # ------------------------------------------------------------------------------------- for plans with moves, checks

    def pages_that_are(self, state: int, lo: int, hi: int) -> Int64:
        """The pages lo <= page < hi in a state, rising. Looks at each page."""
        first = self._states.find(state, lo, hi)
        return (self.states[first:hi] == state).nonzero()[0] + first if first >= 0 else NOTHING

    def outermost(self, state: int, lo: int, hi: int, at_most: int, look: int, *, from_top: bool) -> Int64:
        """The first pages of lo <= page < hi in a state, at most so many, from the bottom up or from the top down.

        From the first of them on it looks at `look` pages, or a third more.
        """
        first = self._states.rfind(state, lo, hi) if from_top else self._states.find(state, lo, hi)
        if first < 0 or not at_most:
            return NOTHING
        reach = min(look, 2 * at_most + 1024)
        while True:
            begin, end = (max(lo, first + 1 - reach), first + 1) if from_top else (first, min(hi, first + reach))
            found = self.pages_that_are(state, begin, end)
            if found.size >= at_most or end - begin < reach or reach >= look:
                return (found[::-1] if from_top else found)[:at_most].copy()
            reach = min(look, 4 * reach)

    def stacked(self) -> Int64:
        """What is on the stack of holes, in no order; for checks."""
        return self._stack.peek(len(self._stack))
