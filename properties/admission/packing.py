"""That packing decides: `feasible` is true of a chain exactly if it has a legal layout.

Every band but the last is packed as low as it goes, the last as high as it goes. What is said of the packing so far is
said by induction over the bands, so that there may be any number of them.
"""

from collections.abc import Iterator
from typing import Any

import z3

from properties.admission.chains import EndsOf, Numbers, any_chain, chain_of, given, needs, small_chain
from properties.admission.code import Code
from properties.admission.grid import laws
from properties.admission.loops import Loop, Order, loop_of
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import DEFINITION, is_legal
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import State
from spec.words import end, is_empty, start


class Packing:
    """What `feasible` carries from band to band: the first byte that is free, and whether all fitted so far."""

    def __init__(self, code: Code, s: State) -> None:
        self.code, self.s = code, s
        self.free = z3.Function("packed_free", z3.IntSort(), z3.IntSort())
        self.fits = z3.Function("fits", z3.IntSort(), z3.BoolSort())
        self.loop: Loop = loop_of(code, "feasible", Order.UP)
        self.last = s.bands - 1
        self.arguments = {
            "base": s.base,
            "capacity": s.capacity,
            "chain": EndsOf(needs(code, s, self.last)),
        }

    def carried(self, band: Term) -> dict[str, Any]:
        """When it is a band's turn."""
        return {"free": self.free(band), "fits": self.fits(band)}

    def begins(self) -> Term:
        """What the first band finds."""
        return self._same(self.carried(0), self.loop.before(self.arguments))

    def goes_on(self, band: Term) -> Term:
        """What the next band finds."""
        after = self.loop.turn(self.arguments, self.carried(band), needs(self.code, self.s, band))
        return self._same(self.carried(band + 1), after)

    def calls(self, band: Term) -> list[Any]:
        """What calls a band to mind."""
        return [self.free(band)]

    def admits(self) -> Term:
        """What comes of it after the band before the last."""
        return self.loop.after(self.arguments, self.carried(self.last))

    def stays_behind(self, layout: State) -> Induction:
        """All fit so far, below every span of a layout from there on."""

        def says(band: Term) -> Term:
            free = self.free(band)
            ahead = Forall(
                "band", lambda b: Implies(And(band <= b, Not(is_empty(layout, b))), free <= start(layout, b))
            )
            return And(self.fits(band), free <= self.s.capacity, ahead)

        return Induction("", says, 0, self.last, self.goes_on, self.calls)

    def layout(self) -> tuple[State, list[Term]]:
        """The spans at which the bands were packed, and what they are."""
        s, lo, hi = self.s, *[z3.Function(name, z3.IntSort(), z3.IntSort()) for name in ("packed_lo", "packed_hi")]
        highest = self.code.place_high(s.capacity, *needs(self.code, s, self.last))

        def are_lowest(band: Term) -> Term:
            lowest = self.code.place_low(self.free(band), *needs(self.code, s, band))
            return Implies(And(band >= 0, band < self.last), And(lo(band) == lowest[0], hi(band) == lowest[1]))

        facts = [
            for_all(are_lowest, 1, lambda band: [lo(band), hi(band)]),
            And(lo(self.last) == highest[0], hi(self.last) == highest[1]),
        ]
        return s.but(lo=FunctionMap(lo), hi=FunctionMap(hi)), facts

    @staticmethod
    def _same(found: dict[str, Any], made: dict[str, Any]) -> Term:
        return And(*[found[name] == made[name] for name in found])


def complete(subject: Subject) -> Iterator[Question]:
    """If there is a legal layout, the packing succeeds: it never gets ahead of any layout."""
    s = any_chain(subject.on_opaque_grids)
    packing = Packing(subject.on_opaque_grids, s)

    yield from by_induction(
        [*laws(subject.on_opaque_grids), *given(s), is_legal(s), packing.begins()],
        [packing.stays_behind(s)],
        {"conclusion": packing.admits()},
    )


def sound(subject: Subject) -> Iterator[Question]:
    """If the packing succeeds, the spans that it found are a legal layout."""
    s = any_chain(subject.on_opaque_grids)
    packing = Packing(subject.on_opaque_grids, s)
    found, spans = packing.layout()

    def is_stacked(band: Term) -> Term:
        """What is below ends where free bytes begin; if all fitted so far, it has its pins."""

        def placed(b: Term) -> Term:
            inside = And(s.base <= start(found, b), end(found, b) <= packing.free(band))
            return And(Implies(packing.fits(band), contains_pins(found, b)), Or(is_empty(found, b), inside))

        return And(s.base <= packing.free(band), Forall("band", lambda b: Implies(b < band, placed(b))))

    yield from by_induction(
        [*laws(subject.on_opaque_grids), *given(s), *spans, packing.begins()],
        [Induction("", is_stacked, 0, packing.last, packing.goes_on, packing.calls)],
        {name: Implies(packing.admits(), holds(found)) for name, holds in DEFINITION.items()},
    )


def contains_pins(s: State, band: Term) -> Term:
    """The band's span contains the extent of its pins."""
    return Implies(s.pin_lo[band] < s.pin_hi[band], And(s.lo[band] <= s.pin_lo[band], s.pin_hi[band] <= s.hi[band]))


# ---------------------------------------------------------------------------------------------------- small chains


def small_complete(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    s = small_chain(subject.code, numbers)
    return Question("", (*given(s), is_legal(s)), admits(subject.code, s), _cases(s))


def small_sound(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain."""
    code = subject.code
    s = small_chain(code, numbers)
    found = _packed(code, s)
    return Question("", (*given(s), admits(code, s)), is_legal(found), _cases(found))


def _cases(s: State) -> dict[str, Term]:
    float_ = 1
    return {
        "a float is empty": is_empty(s, float_),
        "a float has more than its pins": And(_is_pinned(s, float_), s.hi[float_] > s.pin_hi[float_]),
        "all are pinned": And(*[_is_pinned(s, band) for band in range(s.bands)]),
    }


def _is_pinned(s: State, band: Term) -> Term:
    return s.pin_lo[band] < s.pin_hi[band]


def admits(code: Code, s: State) -> Term:
    """The arithmetic finds a small chain feasible."""
    return code.feasible(s.base, s.capacity, chain_of(code, s))


def _packed(code: Code, s: State) -> State:
    *others, last = chain_of(code, s)
    spans, free = [], s.base
    for band in others:
        lo, hi, free, _ = code.place_low(free, *band)
        spans.append((lo, hi))
    spans.append(code.place_high(s.capacity, *last)[:2])
    return s.but(lo=[lo for lo, _ in spans], hi=[hi for _, hi in spans])


THEOREMS = {
    "packing-succeeds": Theorem(
        "admission-complete",
        "A chain that has a legal layout is found feasible: packing gets ahead of none.",
        complete,
        small_complete,
    ),
    "packing-is-legal": Theorem(
        "admission-sound",
        "A chain that is found feasible has a legal layout: the spans at which its bands were packed.",
        sound,
        small_sound,
    ),
}
