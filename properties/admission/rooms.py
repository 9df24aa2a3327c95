"""The room of a band: from where the bands below it end at the lowest to where those above it start at the highest.

It is exact: the band's span lies there in every legal layout, and may be anywhere there in some.
"""

from collections.abc import Iterator
from typing import Any

import z3

from properties.admission.chains import CHAIN, Numbers, any_chain, chain_of, given, needs, small_chain
from properties.admission.code import Code
from properties.admission.grid import laws
from properties.admission.loops import Order, loop_of
from properties.admission.packing import contains_pins
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import DEFINITION, is_legal
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import State
from spec.words import end, is_empty, start

LENGTH = 6
"""The length of a list whose order is looked at."""


def number_function(name: str) -> Any:
    """An unknown function from numbers to numbers."""
    return z3.Function(name, z3.IntSort(), z3.IntSort())


class Rooms:
    """What `free_from` and `free_until` say of the bands of a chain, and a band of which the room is asked for."""

    def __init__(self, code: Code, s: State) -> None:
        self.code, self.s = code, s
        self.free, self.limit = number_function("free"), number_function("limit")
        self.low, self.high = loop_of(code, "free_from", Order.UP), loop_of(code, "free_until", Order.DOWN)
        self.last, self.band = s.bands - 1, z3.Int("band")
        counted = list(range(LENGTH))
        if (
            self.low.after({}, {"free": counted}) != counted
            or self.high.after({}, {"limits": counted}) != counted[::-1]
        ):
            raise ValueError("what is said of a band comes in the order of the bands")

    @property
    def begin(self) -> list[Term]:
        """What is known of both ends, and that the band is one of the chain."""
        (free,) = self.low.before({"base": self.s.base})["free"]
        (limit,) = self.high.before({"capacity": self.s.capacity})["limits"]
        return [self.free(0) == free, self.limit(self.last) == limit, self.band >= 0, self.band <= self.last]

    def up(self, band: Term) -> Term:
        """What free_from says of the next band."""
        turn = self.low.turn({}, {"free": [None, self.free(band)]}, needs(self.code, self.s, band))
        return self.free(band + 1) == turn["free"][2]

    def down(self, band: Term) -> Term:
        """What free_until says of the band below."""
        turn = self.high.turn({}, {"limits": [None, self.limit(band)]}, needs(self.code, self.s, band))
        return self.limit(band - 1) == turn["limits"][2]

    def rising(self, says: Any) -> Induction:
        """Said of all bands from the lowest to the one that is asked for."""
        return Induction("low-", says, 0, self.band, self.up, lambda band: [self.free(band)])

    def falling(self, says: Any) -> Induction:
        """Said of all bands from the highest to the one that is asked for."""
        return Induction("high-", says, self.band, self.last, self.down, lambda band: [self.limit(band)], down=True)

    # ------------------------------------------------------------------------------------------- any legal layout

    def keeps_below(self, band: Term) -> Term:
        """Free bytes begin inside the arena, below every span of the layout from here on."""
        free = self.free(band)
        spans = Forall("band", lambda b: Implies(And(band <= b, Not(is_empty(self.s, b))), free <= start(self.s, b)))
        return And(free <= self.s.capacity, spans)

    def keeps_above(self, band: Term) -> Term:
        """Free bytes end inside the arena, above every span of the layout up to here, and above where they begin."""
        limit = self.limit(band)
        spans = Forall("band", lambda b: Implies(And(b <= band, Not(is_empty(self.s, b))), end(self.s, b) <= limit))
        return And(self.s.base <= limit, self.free(self.band) <= limit, spans)

    # --------------------------------------------------------------------------------------------- a layout around

    def around(self, lo: Term, hi: Term) -> tuple[State, list[Term]]:
        """The layout in which the band has this span and all others are packed towards the ends; what its spans are."""
        found_lo, found_hi = number_function("found_lo"), number_function("found_hi")

        def is_found(band: Term) -> Term:
            low = self.code.place_low(self.free(band), *needs(self.code, self.s, band))
            high = self.code.place_high(self.limit(band), *needs(self.code, self.s, band))
            below, above = And(band >= 0, band < self.band), And(self.band < band, band <= self.last)
            return And(
                Implies(below, And(found_lo(band) == low[0], found_hi(band) == low[1])),
                Implies(above, And(found_lo(band) == high[0], found_hi(band) == high[1])),
            )

        facts = [
            for_all(is_found, 1, lambda band: [found_lo(band), found_hi(band)]),
            And(found_lo(self.band) == lo, found_hi(self.band) == hi),
        ]
        return self.s.but(lo=FunctionMap(found_lo), hi=FunctionMap(found_hi)), facts

    def stacked_below(self, found: State, band: Term) -> Term:
        """What is below this band ends where free bytes begin."""

        def placed(b: Term) -> Term:
            return Or(is_empty(found, b), And(self.s.base <= start(found, b), end(found, b) <= self.free(band)))

        return And(self.s.base <= self.free(band), Forall("band", lambda b: Implies(b < band, placed(b))))

    def stacked_above(self, found: State, band: Term) -> Term:
        """What is above this band starts where free bytes end."""

        def placed(b: Term) -> Term:
            return Or(is_empty(found, b), And(self.limit(band) <= start(found, b), end(found, b) <= self.s.capacity))

        return And(self.limit(band) <= self.s.capacity, Forall("band", lambda b: Implies(band < b, placed(b))))


def contain(subject: Subject) -> Iterator[Question]:
    """In every legal layout the span of a band lies in its room."""
    s = any_chain(subject.on_opaque_grids)
    rooms = Rooms(subject.on_opaque_grids, s)
    band = rooms.band
    inside = Or(is_empty(s, band), And(rooms.free(band) <= start(s, band), end(s, band) <= rooms.limit(band)))
    yield from by_induction(
        [*laws(subject.on_opaque_grids), *given(s), is_legal(s), *rooms.begin],
        [rooms.rising(rooms.keeps_below), rooms.falling(rooms.keeps_above)],
        {"conclusion": And(inside, rooms.free(band) <= rooms.limit(band))},
    )


def suffice(subject: Subject) -> Iterator[Question]:
    """If there is a legal layout, a band may have any span in its room that has its pins and is large enough."""
    s = any_chain(subject.on_opaque_grids)
    rooms = Rooms(subject.on_opaque_grids, s)
    band = rooms.band
    lo, hi = z3.Ints("span_lo span_hi")
    found, spans = rooms.around(lo, hi)
    chosen = may_have(found, band, rooms.free(band), rooms.limit(band))

    def below(at: Term) -> Term:
        pinned = Forall("band", lambda b: Implies(b < at, contains_pins(found, b)))
        return And(rooms.keeps_below(at), rooms.stacked_below(found, at), pinned)

    def above(at: Term) -> Term:
        pinned = Forall("band", lambda b: Implies(at < b, contains_pins(found, b)))
        return And(rooms.keeps_above(at), rooms.stacked_above(found, at), pinned)

    yield from by_induction(
        [*laws(subject.on_opaque_grids), *given(s), is_legal(s), *rooms.begin, *spans, chosen],
        [rooms.rising(below), rooms.falling(above)],
        {name: holds(found) for name, holds in DEFINITION.items()},
    )


def may_have(s: State, band: Term, free: Term, limit: Term) -> Term:
    """The band's span is one that it may have between two bytes."""
    return And(
        s.lo[band] <= s.hi[band],
        s.hi[band] - s.lo[band] >= s.need[band],
        contains_pins(s, band),
        Or(is_empty(s, band), And(free <= start(s, band), end(s, band) <= limit)),
        Implies(band == 0, s.lo[band] == s.bottom),
        Implies(band == s.bands - 1, s.hi[band] == s.top),
    )


# ---------------------------------------------------------------------------------------------------- small chains


class SmallRooms:
    """The rooms of all bands of a small chain."""

    def __init__(self, code: Code, s: State) -> None:
        self.code, self.s, self.chain = code, s, chain_of(code, s)
        self.free, self.limit = code.free_from(s.base, self.chain), code.free_until(s.capacity, self.chain)

    def around(self, band: int, lo: Term, hi: Term) -> State:
        """The layout in which a band has this span and all others are packed towards the ends."""
        low = [self.code.place_low(free, *need) for free, need in zip(self.free, self.chain, strict=True)]
        high = [self.code.place_high(limit, *need) for limit, need in zip(self.limit, self.chain, strict=True)]
        spans = [*[each[:2] for each in low[:band]], (lo, hi), *[each[:2] for each in high[band + 1 :]]]
        return self.s.but(lo=[lo for lo, _ in spans], hi=[hi for _, hi in spans])


def small_contain(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    s = small_chain(subject.code, numbers)
    rooms = SmallRooms(subject.code, s)

    def is_inside(band: int) -> Term:
        free, limit = rooms.free[band], rooms.limit[band]
        return And(free <= limit, Or(is_empty(s, band), And(free <= start(s, band), end(s, band) <= limit)))

    return Question("", (*given(s), is_legal(s)), And(*[is_inside(band) for band in range(s.bands)]))


def small_suffice(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    s = small_chain(subject.code, numbers)
    rooms = SmallRooms(subject.code, s)
    lo, hi = numbers("lo of the chosen span", 0, CHAIN.size), numbers("hi of the chosen span", 0, CHAIN.size)

    def is_free(band: int) -> Term:
        found = rooms.around(band, lo, hi)
        return Implies(may_have(found, band, rooms.free[band], rooms.limit[band]), is_legal(found))

    other = rooms.around(1, lo, hi)
    moved = And(may_have(other, 1, rooms.free[1], rooms.limit[1]), lo < hi, Or(hi <= s.lo[1], s.hi[1] <= lo))
    cases = {"a float may be elsewhere": moved}
    return Question("", (*given(s), is_legal(s)), And(*[is_free(band) for band in range(s.bands)]), cases)


THEOREMS = {
    "rooms-contain": Theorem(
        "admission-complete",
        "In every legal layout each span lies in its band's room, which ends no lower than it begins.",
        contain,
        small_contain,
    ),
    "rooms-suffice": Theorem(
        "admission-sound",
        "If there is a legal layout, a band may have any span in its room that is large enough and has its pins.",
        suffice,
        small_suffice,
    ),
}
