"""That spans for which no page moves are a legal layout, whenever there is one: the lines choose each in its room.

By `choices-are-legal` that is enough. What must stay is there all that is in use, so that every span contains it.
"""

from collections.abc import Iterator

import z3

from properties.admission.chains import EndsOf, Numbers, Shape, any_chain, given, needs, small_chain
from properties.admission.grid import laws
from properties.admission.loops import Order, loop_of
from properties.admission.questions import Induction, Question, by_induction
from properties.admission.rooms import Rooms, SmallRooms, may_have, number_function
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import is_legal
from spec.logic import And, If, Implies, Term
from spec.state import State
from spec.words import end, is_empty


class InPlace:
    """What `in_place` says of the bands of a chain, and carries from band to band: the first byte that is free."""

    def __init__(self, subject: Subject) -> None:
        self.code = subject.on_opaque_grids
        self.s = any_chain(self.code)
        self.rooms = Rooms(self.code, self.s)
        self.loop = loop_of(self.code, "in_place", Order.BETWEEN)
        self.begin, self.wish = number_function("begin"), number_function("wish")
        self.lo, self.hi = number_function("chosen_lo"), number_function("chosen_hi")
        self.chosen = self.s.but(lo=FunctionMap(self.lo), hi=FunctionMap(self.hi))
        self.last = self.rooms.last
        self.arguments = {
            "base": self.s.base,
            "bottom": self.s.bottom,
            "top": self.s.top,
            "chain": EndsOf(needs(self.code, self.s, self.last), needs(self.code, self.s, 0)),
        }

    @property
    def known(self) -> list[Term]:
        """What is known of the chain and of both its ends."""
        before = self.loop.before(self.arguments)
        (first,), (last,) = before["spans"], self.loop.after(self.arguments, {**before, "spans": []})
        ends = [self._is_chosen(0, first), self._is_chosen(self.last, last), self.begin(1) == before["free"]]
        # what calls the last band to mind
        return [
            *laws(self.code),
            *given(self.s),
            *self.rooms.begin,
            *ends,
            z3.FreshInt("free") == self.begin(self.last),
        ]

    def goes_on(self, band: Term) -> Term:
        """What becomes of a float, and what free_until says of those below it."""
        listed = needs(self.code, self.s, band), self.rooms.limit(band), self.wish(band)
        left = self.loop.turn(self.arguments, {"free": self.begin(band), "spans": []}, listed)
        (span,) = left["spans"]
        return And(self._is_chosen(band, span), self.begin(band + 1) == left["free"], self.rooms.down(band))

    def _is_chosen(self, band: Term, span: tuple[Term, Term]) -> Term:
        return And(self.lo(band) == span[0], self.hi(band) == span[1])


def are_in_rooms(subject: Subject) -> Iterator[Question]:
    """If there is a legal layout, every span is chosen in the room that those below it leave."""
    lines = InPlace(subject)
    s, rooms, chosen, band = lines.s, lines.rooms, lines.chosen, z3.Int("next")

    def within(at: Term) -> Term:
        """The highest span of a band has its pins, and is in the arena with all that are above it."""
        _, _, begins, placed = lines.code.place_high(rooms.limit(at), *needs(lines.code, s, at))
        return And(rooms.keeps_above(at), s.base <= begins, placed)

    def is_left(at: Term) -> Term:
        """What is below a band ends no higher than the highest span of the band begins."""
        return lines.begin(at) <= rooms.limit(at - 1)

    taken = If(is_empty(chosen, band), lines.begin(band), end(chosen, band))
    yield from by_induction(
        [
            *(*lines.known, is_legal(s), rooms.band == 0, rooms.free(0) == s.base, lines.begin(0) == s.base),
            *(rooms.down(1), rooms.down(band)),
            *(band >= 0, band <= lines.last, Implies(And(band > 0, band < lines.last), lines.goes_on(band))),
        ],
        [rooms.falling(within), Induction("", is_left, 1, lines.last, lines.goes_on, lambda at: [lines.begin(at)])],
        {
            "in-its-room": may_have(chosen, band, lines.begin(band), rooms.limit(band)),
            "the-next-begins-there": Implies(band < lines.last, lines.begin(band + 1) == taken),
        },
    )


# ---------------------------------------------------------------------------------------------------- small chains


SHAPE = Shape((2, 1, 1), 8)
"""The shape of a small case: a float has room for a page that it has, one below it and two above."""


def small_are_legal(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    s = small_chain(subject.code, numbers, SHAPE)
    rooms = SmallRooms(subject.code, s)
    wishes = [numbers(f"wish of band {band}", -1, SHAPE.size) for band in range(s.bands)]
    spans = subject.code.in_place(s.base, s.bottom, s.top, rooms.chain, rooms.limit, wishes)
    found = s.but(lo=[lo for lo, _ in spans], hi=[hi for _, hi in spans])
    return Question("", (*given(s), is_legal(s)), is_legal(found), _cases(s, found))


def _cases(s: State, found: State) -> dict[str, Term]:
    float_ = 1
    pinned = s.pin_lo[float_] < s.pin_hi[float_]
    both_ways = And(found.lo[float_] < s.pin_lo[float_], s.pin_hi[float_] < found.hi[float_])
    return {
        "a float appears": And(s.pin_lo[float_] >= s.pin_hi[float_], found.lo[float_] < found.hi[float_]),
        "a float grows to both sides": And(pinned, both_ways),
        "a float stays as it is": And(
            pinned, found.lo[float_] == s.pin_lo[float_], found.hi[float_] == s.pin_hi[float_]
        ),
    }


THEOREMS = {
    "in-place-is-legal": Theorem(
        "admission-sound",
        "If there is a legal layout, a plan without moves chooses every span in the room that those below it leave.",
        are_in_rooms,
        small_are_legal,
        shape=SHAPE,
        leans_on=("choices-are-legal",),
    ),
}
