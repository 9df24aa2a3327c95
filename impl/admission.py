"""Admission: whether and how a joint demand can be met. Decides and plans; changes nothing.

Deciding costs time in proportion to bands and outstanding tickets. Pages are looked at only for a plan with moves;
those that are withheld also where tickets may be settled and where a demand is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from impl.arithmetic.admission import Needed, Needs, feasible, free_from, free_until, least_eviction
from impl.arithmetic.fewest import first_try, halfway, narrowed, widened
from impl.arithmetic.grid import address
from impl.chain import Chain
from impl.ledger import NO_EXTENT, Extent, Ledger
from impl.numbers import NOTHING, Int64
from impl.pages import LIVE, Pages
from impl.plan import COMPACT_ENDS, IN_PLACE, RELAYOUT, Move, Plan, Refusal
from impl.spans import cheapest_spans, spans_in_place

STEPS = (IN_PLACE, COMPACT_ENDS, RELAYOUT)


Stock: TypeAlias = tuple[int, Extent, Extent]
"""What a band would hold if certain tickets had retired: how many pages are live or withheld, the extent of these, and
that of the pages that may not move."""


class Admission:
    """Decides about demands on the bands of one allocator, whose tables it reads."""

    def __init__(
        self,
        chain: Chain,
        bands: Sequence[Pages],
        ledger: Ledger,
        publishers: Mapping[str, None],
        placement: Mapping[int, float],
    ) -> None:
        self._chain, self._bands, self._ledger = chain, bands, ledger
        self._publishers, self._placement = publishers, placement

    def plan(self, demand: tuple[int, ...], settle: tuple[int, ...], first: tuple[int, ...] = ()) -> Plan | Refusal:
        """The lowest step that meets a demand, settling the fewest tickets, then moving the fewest bytes; or why not.

        Args:
            demand: pages of each band.
            settle: outstanding tickets that may be settled, in the order in which they should be.
            first: those of them that are settled in any case, whether that makes room or not.
        """
        spans = None if first else self._ends_grown(demand)
        if spans is not None:
            return Plan(IN_PLACE, demand, (), spans, (), 0)
        if first:
            settle = (*first, *[number for number in settle if number not in first])
        inquiry = _Inquiry(self._chain, self._bands, self._ledger, bool(self._publishers), demand)
        steps = (IN_PLACE,) if self._publishers else STEPS
        least, most = frozenset(first), frozenset(settle)
        # what does not fit by all that is allowed fits by no step, which is asked before the steps between
        if not inquiry.fits(steps[0], least) and not inquiry.fits(steps[-1], most):
            return self._refusal(inquiry)
        for step in steps:
            if inquiry.fits(step, least):
                return self._planned(inquiry, step, first)
            if settle and inquiry.fits(step, most):
                return self._planned(inquiry, step, _shortest(settle, partial(inquiry.fits, step), len(first)))
        raise AssertionError("what fits by the last step was met by one of them")

    def _ends_grown(self, demand: tuple[int, ...]) -> tuple[Extent, ...] | None:
        """The spans, if holes and growth of the end bands are enough. The common case, decided without an inquiry."""
        free = self._chain.base
        spans = []
        for pages, count in zip(self._bands, demand, strict=True):
            lo, hi = pages.lo, pages.hi
            more = count - (hi - lo - pages.live - pages.withheld)
            if more > 0:
                if pages.low_end:
                    hi += more
                elif pages.high_end:
                    lo -= more
                else:
                    return None
            if lo < hi:
                origin, size = pages.grid
                if address(origin, size, lo) < free:
                    return None
                free = address(origin, size, hi)
            spans.append((lo, hi))
        return tuple(spans) if free <= self._chain.capacity else None

    def _planned(self, inquiry: "_Inquiry", step: int, settle: tuple[int, ...]) -> Plan:
        retired = frozenset(settle)
        needs = inquiry.needs(step, retired)
        if step == IN_PLACE:
            spans = spans_in_place(self._chain, needs, self._placement)
            return Plan(step, inquiry.demand, settle, spans, (), 0)
        spans = cheapest_spans(self._chain, needs, self._bands)
        moves = []
        for band, (pages, (lo, hi)) in enumerate(zip(self._bands, spans, strict=True)):
            sources = _live_outside(pages, lo, hi)
            if sources.size:
                targets = _holes_for(sources.size, pages, lo, hi, inquiry.freed(band, retired), from_top=band > 0)
                moves.append(Move(band, sources, targets))
        moved = sum(move.sources.size * self._chain.page_bytes[move.band] for move in moves)
        return Plan(step, inquiry.demand, settle, spans, tuple(moves), moved)

    # ----------------------------------------------------------------------------------------------------- refusals

    def _refusal(self, inquiry: "_Inquiry") -> Refusal:
        demand = inquiry.demand
        if not inquiry.fits_empty():
            return Refusal(demand, "never")
        everyone = self._ledger.by_prospect()
        if inquiry.fits(RELAYOUT, frozenset(everyone)):
            return Refusal(demand, "after-release", _enough(everyone, partial(inquiry.fits, RELAYOUT)))
        if self._publishers:
            open_gate = _Inquiry(self._chain, self._bands, self._ledger, False, demand)
            if open_gate.fits(RELAYOUT, frozenset(everyone)):
                tickets = _enough(everyone, partial(open_gate.fits, RELAYOUT))
                return Refusal(demand, "after-release", tickets, tuple(sorted(self._publishers)))
        return Refusal(demand, "evict", evict=self._evictions(demand))

    def _evictions(self, demand: tuple[int, ...]) -> tuple[int | None, ...]:
        chain = self._chain
        needs = [(*pages.grid, pages.live + count, 0, 0) for pages, count in zip(self._bands, demand, strict=True)]
        froms, limits = free_from(chain.base, needs), free_until(chain.capacity, needs)
        evictions: list[int | None] = []
        for pages, count, free, limit in zip(self._bands, demand, froms, limits, strict=True):
            least, suffices = least_eviction(free, limit, *pages.grid, pages.live, count)
            evictions.append(least if suffices else None)
        return tuple(evictions)


class _Inquiry:
    """One demand, and what is found out about it: each set of retired tickets is looked into once."""

    def __init__(
        self, chain: Chain, bands: Sequence[Pages], ledger: Ledger, gated: bool, demand: tuple[int, ...]
    ) -> None:
        self.demand = demand
        self._chain, self._bands, self._ledger, self._gated = chain, bands, ledger, gated
        self._fits: dict[tuple[int, frozenset[int]], bool] = {}
        self._stocks: dict[frozenset[int], list[Stock]] = {}
        self._withheld: dict[tuple[int, int], Int64] = {}

    def fits(self, step: int, retired: frozenset[int]) -> bool:
        """Whether the demand is feasible with the moves of a step once these tickets have retired."""
        fits = self._fits.get((step, retired))
        if fits is None:
            needed = self._needed(step, retired)
            fits = self._fits[step, retired] = feasible(self._chain.base, self._chain.capacity, needed)
        return fits

    def fits_empty(self) -> bool:
        """Whether an empty arena could hold the demand."""
        needed = [(*pages.grid, count, 0, 0) for pages, count in zip(self._bands, self.demand, strict=True)]
        return feasible(self._chain.base, self._chain.capacity, needed)

    def needs(self, step: int, retired: frozenset[int]) -> list[Needs]:
        """What each band must be given; fixed is all that is in use, or, in bands that may move, what is pinned."""
        return [Needs(*needed) for needed in self._needed(step, retired)]

    def _needed(self, step: int, retired: frozenset[int]) -> list[Needed]:
        bands = zip(self._bands, self.demand, strict=True)
        if step == IN_PLACE and not retired:
            return [(*pages.grid, pages.live + pages.withheld + count, pages.lo, pages.hi) for pages, count in bands]
        needed = []
        for (pages, count), (in_use, extent, pins) in zip(bands, self._stocks_of(retired), strict=True):
            may_move = step == RELAYOUT or (step == COMPACT_ENDS and (pages.low_end or pages.high_end))
            needed.append((*pages.grid, in_use + count, *(pins if may_move else extent)))
        return needed

    def _stocks_of(self, retired: frozenset[int]) -> list[Stock]:
        stocks = self._stocks.get(retired)
        if stocks is None:
            stocks = self._stocks[retired] = [self._stock(band, retired) for band in range(len(self._bands))]
        return stocks

    def _stock(self, band: int, retired: frozenset[int]) -> Stock:
        pages, ledger = self._bands[band], self._ledger
        if retired and len(retired) == len(ledger.tickets):
            # nobody is left: nothing is held, and nothing withheld
            pins, in_use = NO_EXTENT, pages.live
            extent = (pages.live_lo, pages.live_hi) if pages.live else NO_EXTENT
        elif retired:
            pins = ledger.pins_without(band, retired)
            # what is in use is live, or held by somebody who remains
            extent = _hull((pages.live_lo, pages.live_hi) if pages.live else NO_EXTENT, pins)
            in_use = pages.in_use - self.freed(band, retired).size
        else:
            pins, extent, in_use = ledger.pins(band), (pages.lo, pages.hi), pages.in_use
        return in_use, extent, extent if self._gated else pins

    def freed(self, band: int, retired: frozenset[int]) -> Int64:
        """The withheld pages of a band that nobody holds once these tickets have retired."""
        pages = self._bands[band]
        if not pages.withheld or not retired:
            return NOTHING
        withheld = [held for ticket in retired if (held := self._withheld_for(band, ticket)).size]
        return self._ledger.freed_by(band, withheld) if withheld else NOTHING

    def _withheld_for(self, band: int, ticket: int) -> Int64:
        withheld = self._withheld.get((band, ticket))
        if withheld is None:
            held = self._ledger.pages_held(band, ticket)
            withheld = self._withheld[band, ticket] = self._bands[band].withheld_among(held)
        return withheld


def _hull(one: Extent, other: Extent) -> Extent:
    if one[0] >= one[1]:
        return other
    if other[0] >= other[1]:
        return one
    return min(one[0], other[0]), max(one[1], other[1])


def _shortest(tickets: tuple[int, ...], suffices: Callable[[frozenset[int]], bool], least: int = 0) -> tuple[int, ...]:
    """The shortest beginning of at least so many that suffices, of tickets that suffice together.

    More tickets never suffice less.
    """
    most = len(tickets)
    # a few are often enough, and few are looked into faster than many
    tried = first_try(least)
    while tried < most and not suffices(frozenset(tickets[:tried])):
        least, tried = widened(tried)
    most = min(most, tried)
    while least < most:
        least, most = narrowed(least, most, suffices(frozenset(tickets[: halfway(least, most)])))
    return tickets[:most]


def _enough(tickets: tuple[int, ...], suffices: Callable[[frozenset[int]], bool]) -> tuple[int, ...]:
    """Of tickets that suffice together, some that do and of which none can be left out."""
    tickets = _shortest(tickets, suffices)
    needed = set(tickets)
    for ticket in tickets:
        if suffices(frozenset(needed - {ticket})):
            needed.discard(ticket)
    return tuple(ticket for ticket in tickets if ticket in needed)


def _live_outside(pages: Pages, lo: int, hi: int) -> Int64:
    """The live pages outside lo <= page < hi, rising."""
    if not pages.live:
        return NOTHING
    below = pages.pages_that_are(LIVE, pages.live_lo, min(lo, pages.live_hi))
    above = pages.pages_that_are(LIVE, max(hi, pages.live_lo), pages.live_hi)
    return np.concatenate((below, above))


def _holes_for(count: int, pages: Pages, lo: int, hi: int, freed: Int64, from_top: bool) -> Int64:
    """Pages in lo <= page < hi that will be holes of a band when its live pages are moved there.

    They are taken from the low end, or from the top, so that what stays free is near the frontier.
    """
    occupied = pages.states[lo:hi] >= LIVE
    occupied[freed[(freed >= lo) & (freed < hi)] - lo] = False
    holes = np.flatnonzero(~occupied) + lo
    return holes[: -count - 1 : -1].copy() if from_top else holes[:count]
