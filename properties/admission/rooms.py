"""The room of a band: from where the bands below it end at the lowest to where those above it start at the highest.

It is exact: the band's span lies there in every legal layout, and may be anywhere there in some.  From that follows how
many pages a band must give up, and that giving up so many is enough.
"""

from collections.abc import Iterator
from typing import Any

import z3

from properties.admission.chains import CHAIN, Numbers, any_chain, chain_of, given, needs, small_chain
from properties.admission.code import Code
from properties.admission.grid import laws
from properties.admission.loops import loop_of
from properties.admission.packing import contains_pins
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import DEFINITION, is_legal
from spec.admission.refusals import evicted, released
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import State
from spec.words import end, is_empty, start

LENGTH = 6
"""Of a list of which the order is looked at."""


def number_function(name: str) -> Any:
    """An unknown function from numbers to numbers."""
    return z3.Function(name, z3.IntSort(), z3.IntSort())


class Rooms:
    """What `free_from` and `free_until` say of the bands of a chain, and a band of which the room is asked for."""

    def __init__(self, code: Code, s: State) -> None:
        self.code, self.s = code, s
        self.free, self.limit = number_function("free"), number_function("limit")
        self.low, self.high = loop_of(code, "free_from"), loop_of(code, "free_until")
        self.last, self.band = s.bands - 1, z3.Int("band")
        counted = list(range(LENGTH))
        if self.low.from_the_top or not self.high.from_the_top:
            raise ValueError("free_from goes up, free_until down")
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


# -------------------------------------------------------------------------------------------------------- eviction


class Eviction:
    """A chain of which nobody holds anything any more, and what is said of a band that is to give up live pages."""

    def __init__(self, code: Code, s: State, live: Any, demand: Any) -> None:
        self.code, self.live, self.demand = code, live, demand
        nothing = FunctionMap(lambda _: 0)
        self.s = released(s, live, demand).but(pin_lo=nothing, pin_hi=nothing)

    def least(self, band: Term, free: Term, limit: Term) -> tuple[Term, Term]:
        """The count, and whether it suffices."""
        grid = self.s.origin[band], self.s.size[band]
        count, suffices = self.code.least_eviction(free, limit, *grid, self.live[band], self.demand[band])
        return count, suffices

    def fewer(self, layout: State, band: Term, count: Term) -> State:
        """The case in which it has given up so many."""
        return evicted(layout, self.live, self.demand, band, count)

    def kept(self, band: Term, count: Term) -> Term:
        """The pages that the band then needs."""
        return self.live[band] + self.demand[band] - count

    @property
    def given(self) -> list[Term]:
        """What is known of the chain, and that no count is less than none."""
        counts = Forall("band", lambda band: And(self.live[band] >= 0, self.demand[band] >= 0))
        return [*given(self.s), counts]


def any_eviction(subject: Subject) -> tuple[Eviction, Rooms]:
    """Of any band of any chain."""
    code = subject.on_opaque_grids
    live, demand = (FunctionMap(number_function(name)) for name in ("live", "demand"))
    eviction = Eviction(code, any_chain(code), live, demand)
    return eviction, Rooms(code, eviction.s)


def is_least(subject: Subject) -> Iterator[Question]:
    """If giving up some pages of a band is enough, that is found, and no more are asked for."""
    eviction, rooms = any_eviction(subject)
    band, count = rooms.band, z3.Int("count")
    least, suffices = eviction.least(band, rooms.free(band), rooms.limit(band))
    possible = [count >= 0, count <= eviction.live[band], is_legal(eviction.fewer(eviction.s, band, count))]
    yield from by_induction(
        [*laws(eviction.code), *eviction.given, *rooms.begin, *possible],
        [rooms.rising(rooms.keeps_below), rooms.falling(rooms.keeps_above)],
        {"suffices": suffices, "is-least": least <= count},
    )


def is_enough(subject: Subject) -> Iterator[Question]:
    """If giving up so many pages of a band is said to be enough, there is a legal layout once it has been done."""
    eviction, rooms = any_eviction(subject)
    band = rooms.band
    least, suffices = eviction.least(band, rooms.free(band), rooms.limit(band))
    lo, hi = _lowest(eviction, band, rooms.free(band), least)
    found, spans = rooms.around(lo, hi)
    yield from by_induction(
        [*laws(eviction.code), *eviction.given, *rooms.begin, *spans, suffices],
        [
            rooms.rising(lambda at: rooms.stacked_below(found, at)),
            rooms.falling(lambda at: rooms.stacked_above(found, at)),
        ],
        {
            "is-a-count": And(least >= 0, least <= eviction.live[band]),
            **{name: holds(eviction.fewer(found, band, least)) for name, holds in DEFINITION.items()},
        },
    )


def _lowest(eviction: Eviction, band: Term, free: Term, count: Term) -> tuple[Term, Term]:
    """The lowest span of a band that has given up so many pages; the last band's is the highest."""
    s, pages = eviction.s, eviction.kept(band, count)
    lowest = eviction.code.first_page_from(s.origin[band], s.size[band], free)
    lo = If(band == s.bands - 1, s.top - pages, lowest)
    return lo, lo + pages


def small_eviction(subject: Subject, numbers: Numbers) -> tuple[Eviction, SmallRooms]:
    """Of the bands of a small chain."""
    s = small_chain(subject.code, numbers)
    live, demand = ([numbers(f"{name} of band {band}", 0, 3) for band in range(s.bands)] for name in ("live", "demand"))
    eviction = Eviction(subject.code, s, live, demand)
    return eviction, SmallRooms(subject.code, eviction.s)


def small_least(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    eviction, rooms = small_eviction(subject, numbers)
    band, count = numbers("band that gives up pages", 0, len(rooms.chain) - 1), numbers("count", 0, 3)

    def holds(b: int) -> Term:
        least, suffices = eviction.least(b, rooms.free[b], rooms.limit[b])
        possible = And(count <= eviction.live[b], is_legal(eviction.fewer(eviction.s, b, count)))
        return Implies(And(band == b, possible), And(suffices, least <= count))

    return Question("", tuple(eviction.given), And(*map(holds, range(len(rooms.chain)))), _cases(eviction, rooms))


def small_enough(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    eviction, rooms = small_eviction(subject, numbers)
    band = numbers("band that gives up pages", 0, len(rooms.chain) - 1)

    def holds(b: int) -> Term:
        least, suffices = eviction.least(b, rooms.free[b], rooms.limit[b])
        found = rooms.around(b, *_lowest(eviction, b, rooms.free[b], least))
        is_count = And(least >= 0, least <= eviction.live[b])
        return Implies(And(band == b, suffices), And(is_count, is_legal(eviction.fewer(found, b, least))))

    return Question("", tuple(eviction.given), And(*map(holds, range(len(rooms.chain)))), _cases(eviction, rooms))


def _cases(eviction: Eviction, rooms: SmallRooms) -> dict[str, Term]:
    least = [eviction.least(b, rooms.free[b], rooms.limit[b]) for b in range(len(rooms.chain))]
    return {
        "some pages of a float are enough": And(least[1][1], least[1][0] > 0, least[1][0] < eviction.live[1]),
        "all pages of a float are": And(least[1][1], least[1][0] > 0, least[1][0] == eviction.live[1]),
        "only the last band can help": And(Not(least[0][1]), Not(least[1][1]), least[-1][1], least[-1][0] > 0),
    }


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
    "eviction-is-least": Theorem(
        "honest-refusal",
        "If giving up some live pages of a band is enough, a refusal says so and asks for no more.",
        is_least,
        small_least,
    ),
    "eviction-is-enough": Theorem(
        "honest-refusal",
        "If a refusal says that it is enough to give up so many live pages of a band, it is, and there are so many.",
        is_enough,
        small_enough,
    ),
}
