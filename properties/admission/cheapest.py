"""Fewest bytes: the spans that a plan with moves chooses are a legal layout, and none moves fewer bytes.

What the lines of `impl.columns` do with one band is shown in `one_column`; what comes of all of them is shown here, by
induction over the bands.
"""

from collections.abc import Iterator
from typing import Any

import z3

from properties.admission.chains import any_chain, given
from properties.admission.code import NOWHERE
from properties.admission.few import few
from properties.admission.grid import laws
from properties.admission.live_counts import counts, counts_below
from properties.admission.one_column import adds_up, is_best, may_have, misses_no_span, no_dearer, says_the_cost
from properties.admission.packing import contains_pins
from properties.admission.products import products
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.rooms import Rooms, number_function
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import DEFINITION, asks, is_legal
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.words import end, is_empty, start


class Costing:
    """A chain, a legal layout of it, and the spans that were chosen, with what is said of them band by band."""

    def __init__(self, subject: Subject) -> None:
        self.code = subject.on_opaque_grids
        self.s = any_chain(self.code)
        self.rooms = Rooms(self.code, self.s)
        self.last = self.s.bands - 1
        names = ("place", "value", "cost", "spent", "chosen_cost", "said", "until", "sum", "chosen_sum")
        self.of = {name: number_function(name) for name in names}
        self.has = z3.Function("has", z3.IntSort(), z3.BoolSort())
        self.fits = z3.Function("fits", z3.IntSort(), z3.BoolSort())
        self.chosen = self.s.but(
            lo=FunctionMap(number_function("chosen_lo")), hi=FunctionMap(number_function("chosen_hi"))
        )

    def needs_pages(self, band: Term) -> Term:
        """The band has a column."""
        return self.s.need[band] > 0

    def numbers(self, band: Term) -> dict[str, Term]:
        """What is known of a band, as of any."""
        s, code = self.s, self.code
        grid = s.origin[band], s.size[band]
        columns = {name: getattr(s, name)[band] for name in ("need", "pin_lo", "pin_hi")}
        return {
            **columns,
            "lowest": code.first_page_from(*grid, self.rooms.free(band)),
            "highest": code.pages_until(*grid, self.rooms.limit(band)),
            **{"bottom": s.bottom, "top": s.top, "is_first": band == 0, "is_last": band == self.last},
        }

    @property
    def pins_are_needed(self) -> Term:
        """What is pinned is in use, and so is needed."""
        return Forall("band", lambda band: Implies(self.s.pin_lo[band] < self.s.pin_hi[band], self.s.need[band] > 0))


def in_room(subject: Subject) -> Iterator[Question]:
    """Every span of a legal layout is one that the band may have in its room, which ends where the arena does."""
    costing = Costing(subject)
    s, rooms = costing.s, costing.rooms
    band = rooms.band
    numbers = costing.numbers(band)
    contained = Or(is_empty(s, band), And(rooms.free(band) <= start(s, band), end(s, band) <= rooms.limit(band)))
    known = (*laws(costing.code), *given(s), is_legal(s), *rooms.begin, contained)
    has_column = costing.needs_pages(band)
    yield Question("may-be-had", known, Implies(has_column, may_have(numbers, s.lo[band], s.hi[band])))
    ends = And(
        Implies(band == 0, numbers["lowest"] == s.bottom), Implies(band == costing.last, numbers["highest"] == s.top)
    )
    yield Question("reaches-the-ends", known, ends)


def are_legal(subject: Subject) -> Iterator[Question]:
    """The spans that are chosen, from the top, each where the one above it begins or below, are a legal layout."""
    costing = Costing(subject)
    s, rooms, chosen = costing.s, costing.rooms, costing.chosen
    until = costing.of["until"]

    def is_chosen(band: Term) -> Term:
        had = And(may_have(costing.numbers(band), chosen.lo[band], chosen.hi[band]), end(chosen, band) <= until(band))
        ends = And(
            Implies(band == 0, chosen.lo[band] == s.bottom), Implies(band == costing.last, chosen.lo[band] == s.top)
        )
        return If(costing.needs_pages(band), had, And(is_empty(chosen, band), ends))

    def goes_on(band: Term) -> Term:
        return until(band - 1) == If(costing.needs_pages(band), start(chosen, band), until(band))

    def stacked(band: Term) -> Term:
        above = Forall(
            "band", lambda b: Implies(And(band < b, Not(is_empty(chosen, b))), until(band) <= start(chosen, b))
        )
        return And(until(band) <= s.capacity, above)

    def is_inside(band: Term) -> Term:
        return s.base <= rooms.free(band)

    every = for_all(
        lambda b: Implies(And(b >= 0, b < s.bands), is_chosen(b)), 1, lambda b: [chosen.lo[b], chosen.hi[b]]
    )
    yield from by_induction(
        [
            *laws(costing.code),
            *given(s),
            *rooms.begin,
            costing.pins_are_needed,
            rooms.band == costing.last,
            every,
            until(costing.last) == s.capacity,
        ],
        [
            rooms.rising(is_inside),
            Induction("high-", stacked, 0, costing.last, goes_on, lambda band: [until(band)], down=True),
            Induction(
                "each-",
                lambda b: And(chosen.lo[b] <= chosen.hi[b], contains_pins(chosen, b)),
                0,
                costing.last,
                calls=lambda b: [chosen.lo[b]],
            ),
        ],
        {name: holds(chosen) for name, holds in DEFINITION.items()},
    )


def fewest(subject: Subject) -> Iterator[Question]:
    """The spans that were chosen, added up from the high end, cost no more than any legal layout, from the low end."""
    costing = Costing(subject)
    s, has, fits = costing.s, costing.has, costing.fits
    place, value, cost, total = (costing.of[name] for name in ("place", "value", "cost", "sum"))
    said, chosen_cost, spent = (costing.of[name] for name in ("said", "chosen_cost", "spent"))
    last = costing.last

    def adds_the_layout(band: Term) -> Term:
        below = If(has(band), value(band), 0)
        shown = no_dearer(end(s, band), cost(band), below, place(band + 1), value(band + 1))
        leant_on = Implies(has(band), place(band) <= start(s, band))
        with_column = And(has(band + 1), Implies(leant_on, shown), total(band + 1) == total(band) + cost(band))
        same = And(
            *(has(band + 1) == has(band), place(band + 1) == place(band), value(band + 1) == value(band)),
            total(band + 1) == total(band),
        )
        return If(costing.needs_pages(band), with_column, same)

    def no_more_than_the_layout(band: Term) -> Term:
        behind = Forall("band", lambda b: Implies(And(band <= b, s.lo[b] < s.hi[b]), place(band) <= start(s, b)))
        return If(has(band), And(value(band) <= total(band), place(band) <= s.capacity, behind), total(band) == 0)

    def adds_what_was_chosen(band: Term) -> Term:
        """`said(band)`: what the column of the highest band up to this one says of what is chosen, or nothing."""
        is_next = has(band)
        rest = said(band - 1)
        step = And(
            Implies(is_next, adds_up(said(band), chosen_cost(band), fits(band - 1), rest, True)),
            Implies(
                Not(is_next), And(adds_up(said(band), chosen_cost(band), z3.BoolVal(False), rest, False), rest == 0)
            ),
        )
        with_column = And(step, spent(band - 1) == spent(band) + chosen_cost(band))
        same = And(said(band - 1) == said(band), spent(band - 1) == spent(band), has(band + 1) == has(band))
        return And(If(costing.needs_pages(band), And(has(band + 1), with_column), same), chosen_cost(band) >= 0)

    def is_what_was_said(band: Term) -> Term:
        nothing_left = Implies(Not(has(band + 1)), said(band) == 0)
        return And(spent(band) + said(band) == said(last), said(band) < NOWHERE, nothing_left)

    # of all ends at or below the arena's, the one that is chosen at the top is no dearer than that for the layout
    at_the_top = Implies(has(s.bands), is_best(place(s.bands), s.capacity, value(s.bands), said(last)))
    nothing_at_all = Implies(Not(has(s.bands)), said(last) == 0)
    few_bytes = total(s.bands) < NOWHERE
    known = [s.bands >= 2, is_legal(s), asks(s), Not(has(0)), total(0) == 0]
    known += [at_the_top, nothing_at_all, few_bytes, spent(last) == 0]
    yield from by_induction(
        known,
        [
            Induction("low-", no_more_than_the_layout, 0, s.bands, adds_the_layout, lambda band: [total(band)]),
            Induction("high-", is_what_was_said, -1, last, adds_what_was_chosen, lambda band: [spent(band)], down=True),
        ],
        {"conclusion": spent(-1) <= total(s.bands)},
    )


def _theorem(prose: str, questions: Any, *leans_on: str) -> Theorem:
    return Theorem("fewest-bytes", prose, questions, few=few, leans_on=leans_on)


THEOREMS = {
    "bytes-of-pages": _theorem("Bytes of pages do not fall as counts rise, and add up.", products),
    "live-pages-are-counted": _theorem("The lines that count the live pages below a page count them.", counts_below),
    "live-pages-below": _theorem("Below a higher page there live no fewer, above the highest live one all.", counts),
    "no-span-is-missed": _theorem(
        "For every span that a band may have, its column has an end no higher at no higher cost.", misses_no_span
    ),
    "costs-are-as-said": _theorem(
        "What a column says of the span that is chosen is what it costs, with what is chosen below.", says_the_cost
    ),
    "spans-are-in-rooms": _theorem(
        "Every span of a legal layout is one that its band may have in its room.", in_room, "rooms-contain"
    ),
    "chosen-spans-are-legal": _theorem(
        "The spans that are chosen, from the top, each below the one above it, are a legal layout.", are_legal
    ),
    "none-moves-fewer": _theorem(
        "No legal layout moves fewer bytes than the spans that are chosen.",
        *(fewest, "no-span-is-missed", "costs-are-as-said", "spans-are-in-rooms"),
    ),
}
