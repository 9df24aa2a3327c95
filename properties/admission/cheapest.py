"""Fewest bytes: the spans that a plan with moves chooses are a legal layout, and none moves fewer bytes.

The lines of `impl.columns` are run on arrays of unknown length.  What they do with one band is shown first, with the
column of the band below, or with none; then, by induction over the bands, what comes of all of them.  What is shown of
one band and what the induction leans on are the same formulas, written once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import z3

from properties.admission.chains import any_chain, given
from properties.admission.code import BRANCHES, GRID, LIVE, NOWHERE, Code, loaded
from properties.admission.few import few
from properties.admission.grid import laws
from properties.admission.packing import contains_pins
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.rooms import Rooms, number_function
from properties.admission.rows import Facts, Numpy, Row, elementwise, product
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from properties.unbounded import FunctionMap
from spec.admission.layouts import DEFINITION, asks, is_legal
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.words import end, is_empty, start

# ------------------------------------------------------------------------------------------- the words of a costing


def product_laws() -> list[Term]:
    """What is known of bytes times counts."""
    return [
        for_all(lambda s, x: Implies(And(s > 0, x >= 0), product(s, x) >= 0), 2, lambda s, x: [product(s, x)]),
        for_all(
            lambda s, x, y: Implies(And(s > 0, x <= y), product(s, x) <= product(s, y)),
            3,
            lambda s, x, y: [z3.MultiPattern(product(s, x), product(s, y))],
        ),
    ]


def products(_: Subject) -> Iterator[Question]:
    """The laws, of numbers that are multiplied; and that what is below and what is above a span is what is outside."""
    size, x, y = z3.Ints("size x y")
    yield Question("is-a-count", (size > 0, x >= 0), size * x >= 0)
    yield Question("rises", (size > 0, x <= y), size * x <= size * y)
    yield Question("of-both-sides", (), size * x + size * y == size * (x + y))


def counts(_: Subject) -> Iterator[Question]:
    """What is known of the count of live pages below a page, by induction over pages."""
    lives = z3.Function("lives", z3.IntSort(), z3.BoolSort())
    below = number_function("below")
    first, last, lo, hi, some = z3.Ints("first last lo hi some")
    known = [
        below(first) == 0,
        for_all(lambda page: Implies(lives(page), And(lo <= page, page < hi)), 1, lambda page: [lives(page)]),
        *(first <= lo, lo <= hi, hi <= last, first <= some, some <= last),
    ]

    def counted(page: Term) -> Term:
        return below(page + 1) == below(page) + If(lives(page), 1, 0)

    def says(page: Term) -> Term:
        return And(
            below(page) >= 0,
            Implies(page <= lo, below(page) == 0),
            Implies(some <= page, below(some) <= below(page)),
            Implies(And(some >= hi, some <= page), below(some) == below(page)),
        )

    yield from by_induction(
        known,
        [Induction("", says, first, last, counted, lambda page: [below(page)])],
        {
            "conclusion": And(
                below(some) >= 0, below(some) <= below(last), Implies(some >= hi, below(some) == below(last))
            )
        },
    )


# ------------------------------------------------------------------------------------------------- what is shown of one


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


# ------------------------------------------------------------------------------------------------- and of all of them


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


# ------------------------------------------------------------------------------------------------------- counting them


def counts_below(subject: Subject) -> Iterator[Question]:
    """The lines that count live pages count those below each page."""
    facts = Facts()
    status, below = (number_function(name) for name in ("status", "live_below"))
    limit, first, last, at = z3.Ints("limit first last at")
    code = loaded({**BRANCHES, "np": Numpy(facts)}, subject.edit)
    counted = code.live_below(Row(facts, limit, lambda page: status(page)), first, last)
    within, behind = facts.running
    known = [first >= 0, first <= last, last <= limit, below(0) == 0, at >= 0, at <= last - first]

    def one_more(page: Term) -> Term:
        return below(page + 1) == below(page) + If(status(page) == LIVE, 1, 0)

    yield from by_induction(
        [*known, *facts.facts],
        [
            Induction("before-", lambda i: behind(i) == below(i), 0, first, one_more, lambda i: [behind(i)]),
            Induction(
                "from-there-",
                lambda i: within(i) == below(first + i) - below(first),
                *(0, last - first, lambda i: one_more(first + i), lambda i: [within(i)]),
            ),
        ],
        {
            "conclusion": counted.at(at) == below(first + at),
            "one-for-each": counted.size == last - first + 1,
            "nothing-fails": And(*facts.demands),
        },
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
