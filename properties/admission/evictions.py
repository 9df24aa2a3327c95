"""Evictions: how many live pages a band must give up once nobody holds anything, and that giving up so many is enough.

Both follow from the room of the band, which is exact.
"""

from collections.abc import Iterator
from typing import Any

import z3

from properties.admission.chains import Numbers, any_chain, given, small_chain
from properties.admission.code import Code
from properties.admission.grid import laws
from properties.admission.questions import Question, by_induction
from properties.admission.rooms import Rooms, SmallRooms, number_function
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import DEFINITION, is_legal
from spec.admission.refusals import evicted, released
from spec.logic import And, If, Implies, Not, Term
from spec.ranges import Forall
from spec.state import State


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
    """An eviction of any band of any chain."""
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
    """The evictions of the bands of a small chain."""
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
