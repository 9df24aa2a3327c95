"""Arrays of unknown length, kept as what they say of any index.

They stand in place of numpy's, so that the lines that use those are run on terms. Each operation is what numpy's
manual says of it. What comes of one that looks at a whole array is a number or an array of which that is given, among
the `facts`; what numpy would object to is among the `demands`, which are shown. That they mean what numpy does is
tested on random arrays.
"""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import z3

from properties.admission.questions import for_all
from spec.logic import And, If, Implies, Or, Term

_numbered = count()


def _function(name: str) -> Any:
    return z3.Function(f"{name}!{next(_numbered)}", z3.IntSort(), z3.IntSort())


class Facts:
    """What is given of arrays, and what must be shown so that nothing fails."""

    def __init__(self) -> None:
        self.facts: list[Term] = []
        self.demands: list[Term] = []
        self.running: list[Any] = []
        """Of each count, how many there are among the first so many."""


class Row:
    """An array of numbers, of which entry i is `at(i)` for 0 <= i < size."""

    def __init__(self, facts: Facts, size: Term, at: Callable[[Term], Term]) -> None:
        self.facts, self.size, self.at = facts, size, at
        self._is_named = False

    def named(self) -> "Row":
        """The array itself, of which an entry now is the value of a function of its own, of which facts can speak."""
        if not self._is_named:
            of, said = _function("row"), self.at
            self.facts.facts.append(for_all(lambda i: of(i) == said(i), 1, lambda i: [of(i)]))
            self.at, self._is_named = (lambda i: of(i)), True
        return self

    def each(self, of: Callable[[Term], Term]) -> "Row":
        """The array of what a function says of every entry."""
        return Row(self.facts, self.size, lambda i: of(self.at(i)))

    def __add__(self, other: Any) -> "Row":
        return self._with(other, lambda one, two: one + two)

    def __sub__(self, other: Any) -> "Row":
        return self._with(other, lambda one, two: one - two)

    def __mul__(self, other: Any) -> "Row":
        return self.each(lambda one: product(other, one))

    def _with(self, other: Any, of: Callable[[Term, Term], Term]) -> "Row":
        if not isinstance(other, Row):
            return self.each(lambda one: of(one, other))
        self.facts.demands.append(self.size == other.size)
        return Row(self.facts, self.size, lambda i: of(self.at(i), other.at(i)))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, Row):
            return self._gathered(index)
        return View(self, 1, 0, self.size)[index]

    def _gathered(self, index: "Row") -> "Row":
        i = z3.FreshInt("i")
        inside = And(-self.size <= index.at(i), index.at(i) < self.size)
        self.facts.demands.append(Implies(And(i >= 0, i < index.size), inside))
        return index.each(lambda at: self.at(If(at < 0, at + self.size, at)))

    def argmin(self) -> Any:
        """Where the first of the smallest entries is."""
        return View(self, 1, 0, self.size).argmin()


class View:
    """Part of an array, which may be turned around: its entry i is the array's entry offset + sign * i."""

    def __init__(self, of: Row, sign: int, offset: Term, size: Term) -> None:
        self.of, self.sign, self.offset, self.size = of, sign, offset, size

    def __getitem__(self, index: slice) -> "View":
        if index == slice(None, None, -1):
            return View(self.of, -self.sign, self.offset + self.sign * (self.size - 1), self.size)
        if index.step is not None:
            raise NotImplementedError(f"a slice by {index.step}")
        first = 0 if index.start is None else self._place(index.start)
        last = self.size if index.stop is None else self._place(index.stop)
        return View(self.of, self.sign, self.offset + self.sign * first, If(last > first, last - first, 0))

    def _place(self, at: Term) -> Term:
        """Where a slice begins or ends: counted from the end if it is negative, and never outside."""
        counted = If(at < 0, at + self.size, at)
        return If(counted < 0, 0, If(counted > self.size, self.size, counted))

    def __eq__(self, value: object) -> Any:
        return Row(self.of.facts, self.size, lambda i: self.of.at(self.offset + self.sign * i) == value)

    __hash__ = None  # type: ignore[assignment]  # what is compared entry by entry has no one answer

    def argmin(self) -> Any:
        """Where the first of the smallest entries is."""
        whole, least = self.of.named(), z3.FreshInt("argmin")
        smallest = whole.at(self.offset + self.sign * least)

        def is_no_better(place: Term) -> Term:
            i = self.sign * (place - self.offset)
            other = whole.at(place)
            later = Or(smallest < other, And(smallest == other, least <= i))
            return Implies(And(i >= 0, i < self.size), later)

        whole.facts.demands.append(self.size > 0)
        whole.facts.facts += [
            Implies(self.size > 0, And(least >= 0, least < self.size)),
            # which calls its entry to mind
            z3.FreshInt("smallest") == smallest,
            for_all(is_no_better, 1, lambda place: [whole.at(place)]),
        ]
        return least


class Numpy:
    """The functions of numpy's that are used."""

    int64 = None

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.minimum = Minimum()

    def zeros(self, size: Term, _: None) -> Row:
        """An array of so many zeros."""
        return Row(self.facts, size, lambda _: 0)

    def count_nonzero(self, row: Row) -> Term:
        """How many entries are true."""
        return self._counts(row)(row.size)

    def cumsum(self, row: Row, out: View) -> None:
        """Write how many entries are true up to each, into part of an array."""
        so_many, before = self._counts(row), out.of.at
        self.facts.demands.append(row.size == out.size)

        def after(i: Term) -> Term:
            inside = And(out.offset <= i, i < out.offset + out.size)
            return If(inside, so_many(i - out.offset + 1), before(i))

        out.of.at = after

    def _counts(self, row: Row) -> Any:
        """How many of the first so many entries are true."""
        so_many = _function("so_many")

        def is_counted(i: Term) -> Term:
            return Implies(And(i >= 0, i < row.size), so_many(i + 1) == so_many(i) + If(row.at(i), 1, 0))

        self.facts.facts += [so_many(0) == 0, for_all(is_counted, 1, lambda i: [so_many(i)])]
        self.facts.running.append(so_many)
        return so_many

    def arange(self, first: Term, last: Term) -> Row:
        """The numbers from the first to below the last."""
        return Row(self.facts, If(last > first, last - first, 0), lambda i: first + i)

    @staticmethod
    def subtract(number: Term, row: Row) -> Row:
        """A number, less every entry."""
        return row.each(lambda entry: number - entry)

    @staticmethod
    def clip(row: Row, least: Term, most: Term) -> Row:
        """Every entry, brought within two bounds."""
        return row.each(lambda entry: If(entry < least, least, If(entry > most, most, entry)))

    @staticmethod
    def concatenate(parts: tuple[Sequence[Term], Row]) -> Row:
        """One number, and all entries of an array behind it."""
        (number,), row = parts
        return Row(row.facts, row.size + 1, lambda i: If(i == 0, number, row.at(i - 1)))


class Minimum:
    """The smaller of every entry and a number."""

    def __call__(self, row: Row, number: Term) -> Row:
        """The smaller of every entry and the number."""
        return row.each(lambda entry: If(entry <= number, entry, number))

    @staticmethod
    def accumulate(whole: Row) -> Row:
        """The smallest of the entries up to each: one of them, and no larger than any."""
        row, of, place = whole.named(), _function("least"), _function("place")

        def is_there(i: Term) -> Term:
            there = And(place(i) >= 0, place(i) <= i, of(i) == row.at(place(i)))
            return Implies(And(i >= 0, i < row.size), there)

        def is_least(i: Term, j: Term) -> Term:
            return Implies(And(j >= 0, j <= i, i < row.size), of(i) <= row.at(j))

        whole.facts.facts += [
            for_all(is_there, 1, lambda i: [of(i)]),
            for_all(is_least, 2, lambda i, j: [z3.MultiPattern(of(i), row.at(j))]),
        ]
        return Row(whole.facts, whole.size, lambda i: of(i))


_product = z3.Function("product", z3.IntSort(), z3.IntSort(), z3.IntSort())


def product(size: Term, count: Term) -> Any:
    """Bytes of a page times a count, of which nothing is known but the lemmas."""
    return _product(size, count)


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of numbers, and of an array in the place of the last of them."""

    def of_any(*arguments: Any) -> Any:
        *numbers, last = arguments
        return last.each(lambda one: function(*numbers, one)) if isinstance(last, Row) else function(*arguments)

    return of_any
