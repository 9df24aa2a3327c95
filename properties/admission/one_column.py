"""What the lines of `impl.columns` do with one band, with the column of the band below or with none.

They are run on arrays of unknown length. What is shown here, and what the induction over the bands leans on, are the
same formulas, written once: `may_have`, `no_dearer`, `is_best` and `adds_up`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import z3

from properties.admission.code import BRANCHES, GRID, NOWHERE, Code, loaded
from properties.admission.grid import laws
from properties.admission.products import product_laws
from properties.admission.questions import Question, for_all
from properties.admission.rooms import number_function
from properties.admission.rows import Facts, Numpy, Row, elementwise, product
from properties.admission.subject import Subject
from spec.logic import And, If, Implies, Not, Term


@dataclass(frozen=True)
class Band:
    """A band that needs pages: its grid, its needs, its room, its live pages, and where it is in the chain."""

    code: Code
    facts: Facts
    below_page: Any
    """How many live pages are below a page."""

    numbers: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.numbers[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def needs(self) -> Any:
        """What the arithmetic is told of it."""
        return self.code.Needs(self.origin, self.size, self.need, self.pin_lo, self.pin_hi)

    @property
    def ends(self) -> Any:
        """Where its span may begin and end."""
        n = self.numbers
        asked = ("need", "pin_lo", "pin_hi", "lowest", "highest", "live", "live_lo", "live_hi", "bottom", "top")
        return self.code.useful_ends(*[n[name] for name in asked], n["is_first"], n["is_last"])

    def address(self, page: Term) -> Term:
        """The first byte of a page."""
        return self.code.address(self.origin, self.size, page)

    def cost(self, lo: Term, hi: Term) -> Term:
        """The bytes of the live pages outside a span: those below it, and those above it."""
        return product(self.size, self.below_page(lo)) + product(self.size, self.live - self.below_page(hi))

    def may_have(self, lo: Term, hi: Term) -> Term:
        """A span that has what the band needs, in its room."""
        return may_have(self.numbers, lo, hi)

    @property
    def known(self) -> list[Term]:
        """What is known of it: its room ends where the arena does, if it is at an end."""
        n, count = self.numbers, self.below_page
        return [
            *laws(self.code),
            *product_laws(),
            *(n["size"] > 0, n["need"] > 0, n["live"] >= 0),
            Implies(n["is_first"], n["lowest"] == n["bottom"]),
            Implies(n["is_last"], n["highest"] == n["top"]),
            for_all(lambda p: And(count(p) >= 0, count(p) <= n["live"]), 1, lambda p: [count(p)]),
            for_all(
                lambda p, q: Implies(p <= q, count(p) <= count(q)),
                2,
                lambda p, q: [z3.MultiPattern(count(p), count(q))],
            ),
            for_all(lambda p: Implies(And(n["live"] > 0, p <= n["live_lo"]), count(p) == 0), 1, lambda p: [count(p)]),
            for_all(
                lambda p: Implies(And(n["live"] > 0, n["live_hi"] <= p), count(p) == n["live"]), 1, lambda p: [count(p)]
            ),
        ]


def may_have(of: Any, lo: Term, hi: Term) -> Term:
    """A span in the band's room that is large enough, has its pins, and is at the end where the band is."""
    return And(
        of["lowest"] <= lo,
        hi <= of["highest"],
        hi - lo >= of["need"],
        Implies(of["pin_lo"] < of["pin_hi"], And(lo <= of["pin_lo"], of["pin_hi"] <= hi)),
        Implies(of["is_first"], lo == of["bottom"]),
        Implies(of["is_last"], hi == of["top"]),
    )


def any_band(subject: Subject) -> Band:
    """Any band whatever."""
    facts = Facts()
    below_page = number_function("live_below")

    def live_below(_: Any, first: Term, last: Term) -> Row:
        return Row(facts, If(last >= first, last - first + 1, 0), lambda i: below_page(first + i))

    lifted = {name: elementwise(function) for name, function in GRID.items()}
    words = {**BRANCHES, **lifted, "np": Numpy(facts), "int": lambda x: x, "live_below": live_below}
    names = ("origin", "size", "need", "pin_lo", "pin_hi", "lowest", "highest", "live", "live_lo", "live_hi")
    numbers = {name: z3.Int(name) for name in (*names, "bottom", "top")}
    places = {name: z3.Bool(name) for name in ("is_first", "is_last")}
    return Band(loaded(words, subject.edit), facts, below_page, {**numbers, **places})


class Below:
    """The column of the band below, whatever is in it."""

    def __init__(self, band: Band) -> None:
        self.band = band
        self.origin, self.size, need, first_lo, count_lo, first_hi, count_hi = z3.Ints(
            "its_origin its_size its_need its_first_lo its_count_lo its_first_hi its_count_hi"
        )
        begun, ended = (
            Row(band.facts, n, number_function(f"its_{of}")) for of, n in (("begun", count_lo), ("ended", count_hi))
        )
        needs = band.code.Needs(self.origin, self.size, need, z3.IntVal(0), z3.IntVal(0))
        self.column = band.code.Column(needs, first_lo, begun, first_hi, ended)
        self.known = [self.size > 0, count_hi > 0]

    def address(self, i: Term) -> Term:
        """The byte at which its span ends, if it ends at entry i."""
        return self.band.code.address(self.origin, self.size, self.column.first_hi + i)

    def entries(self, byte: Term) -> Term:
        """The last of its entries that ends at a byte or below it; negative if there is none."""
        return self.band.code.pages_until(self.origin, self.size, byte) - self.column.first_hi

    def value(self, byte: Term) -> Term:
        """What is said of the span that is chosen if it must end there."""
        _, hi = self.band.code.chosen(self.column, byte)
        return self.column.ended.at(hi - self.column.first_hi)


def misses_no_span(subject: Subject) -> Iterator[Question]:
    """Whatever span the band has, one that ends no higher and moves no more is in its column."""
    for name in ("first", "next"):
        band = any_band(subject)
        lo, hi, entry = z3.Ints("lo hi entry")
        below = Below(band) if name == "next" else None
        column = band.code.column(band.needs, None, band.live, band.ends, below and below.column)
        lo_min, _, hi_min, hi_max = band.ends
        begin, last = If(lo >= lo_min, lo, lo_min) - lo_min, If(hi <= hi_max, hi, hi_max) - hi_min
        known = [*band.known, band.may_have(lo, hi)]
        least: Term = 0
        if below is not None:
            least = below.column.ended.at(entry)
            known += [
                *below.known,
                entry >= 0,
                entry < below.column.ended.size,
                below.address(entry) <= band.address(lo),
            ]
        known += band.facts.facts
        begun = column.begun.at(begin)
        yield Question(f"{name}.nothing-fails", tuple(known), And(*band.facts.demands))
        inside = And(begin >= 0, begin < column.begun.size)
        begins = And(inside, begun <= product(band.size, band.below_page(lo)) + least)
        yield Question(f"{name}.begins-no-dearer", tuple(known), begins)
        above = product(band.size, band.live - band.below_page(hi))
        value = column.ended.at(last)
        yield Question(f"{name}.ends-no-dearer", tuple(known), value <= begun + above)
        place = band.address(column.first_hi + last)
        yield Question(
            f"{name}.is-there",
            (*known, begun <= product(band.size, band.below_page(lo)) + least, value <= begun + above),
            And(
                last >= 0, last < column.ended.size, no_dearer(band.address(hi), band.cost(lo, hi), least, place, value)
            ),
        )


def no_dearer(highest: Term, cost: Term, below: Term, place: Term, value: Term) -> Term:
    """A column has an entry for an end at this place, no higher than that of a span and no dearer than it."""
    return And(place <= highest, value <= below + cost)


def says_the_cost(subject: Subject) -> Iterator[Question]:
    """The span that is chosen is one that the band may have, and its column says what it and those below it cost."""
    for name in ("first", "next"):
        band = any_band(subject)
        byte, some_lo, some_hi, page = z3.Ints("byte some_lo some_hi page")
        below = Below(band) if name == "next" else None
        column = band.code.column(band.needs, None, band.live, band.ends, below and below.column)
        made = len(band.facts.demands)
        lo, hi = band.code.chosen(column, byte)
        value = column.ended.at(hi - column.first_hi)
        fits = band.code.pages_until(band.origin, band.size, byte) >= column.first_hi
        known = [*band.known, *(below.known if below else []), band.may_have(some_lo, some_hi), fits]
        facts = tuple(band.facts.facts)
        yield Question(f"{name}.nothing-fails", (*known, *facts), And(*band.facts.demands[made:]))
        lo_min, lo_max, *_ = band.ends
        inside = And(band.may_have(lo, hi), lo_min <= lo, lo <= lo_max, band.address(hi) <= byte)
        yield Question(f"{name}.may-be-had", (*known, *facts), inside)
        entry = z3.Int("entry")
        there = band.address(column.first_hi + entry)
        known_there = (*known[:-1], *facts, entry >= 0, entry < column.ended.size)
        best = is_best(there, byte, column.ended.at(entry), value)
        yield Question(f"{name}.none-is-better", known_there, And(Implies(there <= byte, fits), Implies(fits, best)))
        above = product(band.size, band.live - band.below_page(hi))
        yield Question(f"{name}.ends", (*known, *facts), value == column.begun.at(lo - column.first_lo) + above)
        begun, under = column.begun.at(page - column.first_lo), product(band.size, band.below_page(page))
        here = [*known, lo_min <= page, page <= lo_max]
        if below is None:
            yield Question(f"{name}.begins", (*here, *facts), begun == under)
        else:
            start_of = band.address(page)
            nothing = below.entries(start_of) < 0
            yield Question(f"{name}.begins-nowhere", (*here, *facts, nothing), begun == under + NOWHERE)
            least = below.value(start_of)
            facts = tuple(band.facts.facts)
            yield Question(f"{name}.begins", (*here, *facts, Not(nothing)), begun == under + least)
            yield Question(f"{name}.nothing-fails-below", (*here, *facts, Not(nothing)), band.facts.demands[-2])
        cost, rest, its_begun = (z3.Int(of) for of in ("cost", "rest", "its_begun"))
        has_rest = z3.Bool("has_rest")
        parts = And(
            value == its_begun + above,
            cost == under + above,
            its_begun == If(has_rest, under + rest, under if below is None else under + NOWHERE),
            *(band.below_page(page) >= 0, band.below_page(page) <= band.live),
        )
        positive = And(under >= 0, above >= 0)
        yield Question(f"{name}.adds-up", (parts, positive), adds_up(value, cost, has_rest, rest, below is not None))


def is_best(place: Term, byte: Term, value_there: Term, value: Term) -> Term:
    """If an end at this place will do, what is said of the one that is chosen is no more than what is said of it."""
    return Implies(place <= byte, value <= value_there)


def adds_up(value: Term, cost: Term, fits_below: Term, rest: Term, is_next: bool) -> Term:
    """What is said of a choice is its cost and what is said of the one below; less than nowhere means there is one."""
    if not is_next:
        return Implies(Not(fits_below), value == cost)
    return Implies(value < NOWHERE, And(fits_below, value == cost + rest))
