"""Counting pages: of fewer there are fewer, and of more than a span has room for one is outside it."""

from collections.abc import Iterator

import z3

from properties.admission.chains import Numbers
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall


def fewer_count(_: Subject) -> Iterator[Question]:
    """A count over pages first <= page < last, of those that are in both sets and of those that are in the larger."""
    first, last = z3.Ints("first last")
    inner, outer = (z3.Function(name, z3.IntSort(), z3.BoolSort()) for name in ("inner", "outer"))
    count, count_of_outer = (z3.Function(name, z3.IntSort(), z3.IntSort()) for name in ("count", "count_of_outer"))
    contained = for_all(lambda page: Implies(inner(page), outer(page)))

    def counted(page: Term) -> Term:
        return And(
            count(page + 1) == count(page) + If(inner(page), 1, 0),
            count_of_outer(page + 1) == count_of_outer(page) + If(outer(page), 1, 0),
        )

    yield from by_induction(
        [contained, count(first) == 0, count_of_outer(first) == 0, first <= last],
        [Induction("", lambda page: And(count(page) >= 0, count(page) <= count_of_outer(page)), first, last, counted)],
        {"conclusion": And(count(last) >= 0, count(last) <= count_of_outer(last))},
    )


def small_fewer_count(_: Subject, numbers: Numbers) -> Question:
    """The same of four pages."""
    inner, outer = (
        [numbers(f"page {page} is in the {name} set", 0, 1) for page in range(4)] for name in ("inner", "outer")
    )
    contained = [Implies(one == 1, other == 1) for one, other in zip(inner, outer, strict=True)]
    return Question("", tuple(contained), And(sum(inner) >= 0, sum(inner) <= sum(outer)))


def strictly_fewer(_: Subject) -> Iterator[Question]:
    """A count over pages first <= page < last of those in two sets, of which the larger has a page more."""
    first, last, extra = z3.Ints("first last extra")
    inner, outer = (z3.Function(name, z3.IntSort(), z3.BoolSort()) for name in ("inner", "outer"))
    count, count_of_outer = (z3.Function(name, z3.IntSort(), z3.IntSort()) for name in ("count", "count_of_outer"))

    def counted(page: Term) -> Term:
        return And(
            count(page + 1) == count(page) + If(inner(page), 1, 0),
            count_of_outer(page + 1) == count_of_outer(page) + If(outer(page), 1, 0),
            Implies(inner(page), outer(page)),
        )

    def says(page: Term) -> Term:
        return And(count(page) >= 0, count(page) + If(extra < page, 1, 0) <= count_of_outer(page))

    yield from by_induction(
        [first <= extra, extra < last, outer(extra), Not(inner(extra)), count(first) == 0, count_of_outer(first) == 0],
        [Induction("", says, first, last, counted)],
        {"conclusion": And(count(last) >= 0, count(last) < count_of_outer(last))},
    )


def small_strictly_fewer(_: Subject, numbers: Numbers) -> Question:
    """The same of four pages."""
    inner, outer = ([numbers(f"page {i} is in the {name} set", 0, 1) for i in range(4)] for name in ("inner", "outer"))
    given = [Implies(one == 1, other == 1) for one, other in zip(inner, outer, strict=True)]
    return Question("", (*given, outer[2] == 1, inner[2] == 0), And(sum(inner) >= 0, sum(inner) < sum(outer)))


def a_hole_is_there(_: Subject) -> Iterator[Question]:
    """If all pages of a span were in use and one outside it, more would be in use than the span has pages."""
    first, last, lo, hi, outside = z3.Ints("first last lo hi outside")
    used = z3.Function("used", z3.IntSort(), z3.BoolSort())
    count = z3.Function("count", z3.IntSort(), z3.IntSort())
    full = Forall("page", lambda page: Implies(And(lo <= page, page < hi), used(page)))

    def says(page: Term) -> Term:
        inside = If(page <= lo, 0, If(page <= hi, page - lo, hi - lo))
        return count(page) >= inside + If(outside < page, 1, 0)

    yield from by_induction(
        [
            *(first <= lo, lo <= hi, hi <= last, first <= outside, outside < last),
            *(Or(outside < lo, hi <= outside), used(outside), full, count(first) == 0),
        ],
        [Induction("", says, first, last, lambda page: count(page + 1) == count(page) + If(used(page), 1, 0))],
        {"conclusion": count(last) > hi - lo},
    )


def small_hole(_: Subject, numbers: Numbers) -> Question:
    """The same of four pages."""
    used = [numbers(f"page {i} is in use", 0, 1) for i in range(4)]
    lo, hi, outside = (numbers(name, 0, 4) for name in ("lo", "hi", "outside"))
    full = [Implies(And(lo <= i, i < hi), each == 1) for i, each in enumerate(used)]
    one_more = Or(*[And(outside == i, each == 1) for i, each in enumerate(used)])
    return Question("", (*full, lo <= hi, one_more, Or(outside < lo, hi <= outside)), sum(used) > hi - lo)


THEOREMS = {
    "fewer-count-less": Theorem(
        "lowest-step",
        "Of a set of pages there are no more than of one that contains it.",
        fewer_count,
        small_fewer_count,
    ),
    "strictly-fewer": Theorem(
        "retry-terminates",
        "Of a set of pages there are fewer than of one that contains it and a page more.",
        strictly_fewer,
        small_strictly_fewer,
    ),
    "a-hole-is-there": Theorem(
        "retry-terminates",
        "As long as a page in use is outside a span with room for all in use, the span has a page in no use.",
        a_hole_is_there,
        small_hole,
    ),
}
