"""Spans grow and shrink by one hole."""

from spec.catalog import Guard, action
from spec.logic import And, Not, Term
from spec.state import FREE, State
from spec.words import clear_of_others, in_arena, is_empty


@action("band")
class grow_low:
    """A span gains a hole below its lowest page."""

    @staticmethod
    def guard(s: State, band: Term) -> Guard:
        lo, hi = s.lo[band] - 1, s.hi[band]
        yield "the first band stays where it begins", band > 0, "anchored-ends"
        yield "the grown span is inside the arena", in_arena(s, band, lo, hi), "inside-arena"
        yield "the grown span is clear of every other", clear_of_others(s, band, lo, hi), "band-order"

    @staticmethod
    def effect(s: State, band: Term) -> State:
        return s.but(lo=s.lo.set(band, s.lo[band] - 1))


@action("band")
class grow_high:
    """A span gains a hole above its highest page."""

    @staticmethod
    def guard(s: State, band: Term) -> Guard:
        lo, hi = s.lo[band], s.hi[band] + 1
        yield "the last band stays where it ends", band < s.bands - 1, "anchored-ends"
        yield "the grown span is inside the arena", in_arena(s, band, lo, hi), "inside-arena"
        yield "the grown span is clear of every other", clear_of_others(s, band, lo, hi), "band-order"

    @staticmethod
    def effect(s: State, band: Term) -> State:
        return s.but(hi=s.hi.set(band, s.hi[band] + 1))


@action("band page")
class appear:
    """An empty float, which has no position, becomes one hole anywhere it fits."""

    @staticmethod
    def guard(s: State, band: Term, page: Term) -> Guard:
        yield "the band is a float", And(band > 0, band < s.bands - 1), "anchored-ends"
        yield "the float is empty", is_empty(s, band), "outside-is-free"
        yield "the hole is inside the arena", in_arena(s, band, page, page + 1), "inside-arena"
        yield "the hole is clear of every other span", clear_of_others(s, band, page, page + 1), "band-order"

    @staticmethod
    def effect(s: State, band: Term, page: Term) -> State:
        return s.but(lo=s.lo.set(band, page), hi=s.hi.set(band, page + 1))


@action("band")
class absorb_low:
    """A span gives up the hole at its low side."""

    @staticmethod
    def guard(s: State, band: Term) -> Guard:
        yield "the first band stays where it begins", band > 0, "anchored-ends"
        yield "the span is not empty", Not(is_empty(s, band)), "span"
        yield "the lowest page is in no use", s.status[band, s.lo[band]] == FREE, "outside-is-free"

    @staticmethod
    def effect(s: State, band: Term) -> State:
        return s.but(lo=s.lo.set(band, s.lo[band] + 1))


@action("band")
class absorb_high:
    """A span gives up the hole at its high side."""

    @staticmethod
    def guard(s: State, band: Term) -> Guard:
        yield "the last band stays where it ends", band < s.bands - 1, "anchored-ends"
        yield "the span is not empty", Not(is_empty(s, band)), "span"
        yield "the highest page is in no use", s.status[band, s.hi[band] - 1] == FREE, "outside-is-free"

    @staticmethod
    def effect(s: State, band: Term) -> State:
        return s.but(hi=s.hi.set(band, s.hi[band] - 1))
