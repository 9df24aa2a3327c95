"""Choosing spans one after the other, from the low end: whatever is chosen in the room that is left, all is legal.

The room of a band then begins where the chosen spans below it end, and ends, as ever, where the bands above it start
when they are packed as high as they go. There is always some.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import z3

from properties.admission.chains import CHAIN, Numbers, any_chain, given, needs, small_chain
from properties.admission.grid import laws
from properties.admission.questions import Induction, Question, by_induction
from properties.admission.rooms import Rooms, SmallRooms, may_have, number_function
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import DEFINITION, is_legal
from spec.logic import And, If, Implies, Or, Term, larger
from spec.ranges import Forall
from spec.state import State
from spec.words import end, is_empty, start


class Choices:
    """Spans that were chosen, and where the next of them may begin."""

    def __init__(self, subject: Subject) -> None:
        self.code = subject.on_opaque_grids
        self.s = any_chain(self.code)
        self.rooms = Rooms(self.code, self.s)
        self.begin = number_function("begin")
        self.chosen = self.s.but(
            lo=FunctionMap(number_function("chosen_lo")), hi=FunctionMap(number_function("chosen_hi"))
        )
        self.known = [*laws(self.code), *given(self.s), *self.rooms.begin, self.begin(0) == self.s.base]

    def goes_on(self, band: Term) -> Term:
        """Where the next span may begin, and what free_until says of it."""
        taken = If(is_empty(self.chosen, band), self.begin(band), end(self.chosen, band))
        return And(self.begin(band + 1) == taken, self.rooms.down(band + 1))

    def in_room(self, band: Term) -> Term:
        """The chosen span is one that the band may have."""
        return may_have(self.chosen, band, self.begin(band), self.rooms.limit(band))

    def rising(self, name: str, says: Any, last: Term) -> Induction:
        """Said of all bands from the lowest on."""
        return Induction(name, says, 0, last, self.goes_on, lambda band: [self.begin(band)])


def anchored(s: State, band: Term, lo: Term, hi: Term) -> tuple[Term, Term]:
    """The span, begun at the bottom if it is the first band's."""
    return If(band == 0, s.bottom, lo), If(band == 0, larger(hi, s.bottom), hi)


def are_legal(subject: Subject) -> Iterator[Question]:
    """If every span was chosen in the room that was left, the spans are a legal layout."""
    choices = Choices(subject)
    s, rooms, chosen = choices.s, choices.rooms, choices.chosen

    def within(band: Term) -> Term:
        return rooms.limit(band) <= s.capacity

    def stacked(band: Term) -> Term:
        def placed(b: Term) -> Term:
            return Or(is_empty(chosen, b), And(s.base <= start(chosen, b), end(chosen, b) <= choices.begin(band)))

        return And(s.base <= choices.begin(band), Forall("band", lambda b: Implies(b < band, placed(b))))

    yield from by_induction(
        [*choices.known, rooms.band == 0, Forall("band", choices.in_room)],
        [rooms.falling(within), choices.rising("", stacked, rooms.last)],
        {name: holds(chosen) for name, holds in DEFINITION.items()},
    )


def are_left(subject: Subject) -> Iterator[Question]:
    """If there is a legal layout, whatever was chosen below a band, a span in its room is left: the highest."""
    choices = Choices(subject)
    s, rooms = choices.s, choices.rooms
    band = z3.Int("next")

    def highest(at: Term) -> Any:
        return choices.code.place_high(rooms.limit(at), *needs(choices.code, s, at))

    def above(at: Term) -> Term:
        return And(rooms.keeps_above(at), s.base <= highest(at)[2])

    def is_left(at: Term) -> Term:
        return choices.begin(at) <= highest(at)[2]

    lo, hi = anchored(s, band, *highest(band)[:2])
    found = s.but(lo=FunctionMap(lambda _: lo), hi=FunctionMap(lambda _: hi))
    chosen_below = Forall("band", lambda b: Implies(b < band, choices.in_room(b)))
    yield from by_induction(
        [
            *choices.known,
            is_legal(s),
            rooms.band == 0,
            rooms.free(0) == s.base,
            band >= 0,
            band <= rooms.last,
            chosen_below,
        ],
        [rooms.falling(above), choices.rising("", is_left, band)],
        {"highest": may_have(found, band, choices.begin(band), rooms.limit(band))},
    )


# ---------------------------------------------------------------------------------------------------- small chains


def _in_room(chosen: State, limits: Sequence[Term]) -> list[Term]:
    """Whether the chosen span of each band is in the room that those below leave."""
    begin, in_room = chosen.base, []
    for band, limit in enumerate(limits):
        in_room.append(may_have(chosen, band, begin, limit))
        begin = If(is_empty(chosen, band), begin, end(chosen, band))
    return in_room


def small_are_legal(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    s = small_chain(subject.code, numbers)
    in_room = _in_room(s, SmallRooms(subject.code, s).limit)
    return Question("", (*given(s), *in_room), is_legal(s), {"a float is empty": is_empty(s, 1)})


def small_are_left(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    code = subject.code
    s = small_chain(code, numbers)
    rooms = SmallRooms(code, s)
    lo, hi = ([numbers(f"chosen {name} of band {b}", 0, CHAIN.size) for b in range(s.bands)] for name in ("lo", "hi"))
    chosen = s.but(lo=lo, hi=hi)
    in_room = _in_room(chosen, rooms.limit)

    def is_left(band: int) -> Term:
        highest = anchored(s, band, *code.place_high(rooms.limit[band], *rooms.chain[band])[:2])
        found = chosen.but(lo=[*lo[:band], highest[0]], hi=[*hi[:band], highest[1]])
        return Implies(And(*in_room[:band]), _in_room(found, rooms.limit[: band + 1])[-1])

    elsewhere = And(*in_room, lo[1] < hi[1], Or(hi[1] <= s.lo[1], s.hi[1] <= lo[1]))
    cases = {"another float is chosen": elsewhere}
    return Question("", (*given(s), is_legal(s)), And(*map(is_left, range(s.bands))), cases)


THEOREMS = {
    "choices-are-legal": Theorem(
        "admission-sound",
        "If every span is chosen in the room that those below it leave, the spans are a legal layout.",
        are_legal,
        small_are_legal,
    ),
    "a-choice-is-left": Theorem(
        "admission-sound",
        "If there is a legal layout, whatever spans are chosen in their rooms, the next band finds one in its own.",
        are_left,
        small_are_left,
    ),
}
