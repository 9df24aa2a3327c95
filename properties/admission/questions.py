"""Questions for the solver, and induction over whole numbers.

What is trusted besides the solver: that among numbers first <= i <= last of which something is false there is a least
and a greatest, and that a sequence may be defined step by step. The lemma `induction` shows that the conclusion of
every `Induction` follows from that, its base and its step, whatever is said. Base and step are asked one by one, and
the conclusion is never leant on without them, since all three come from one object.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from properties.unbounded import as_term
from spec.logic import And, Implies, Not, Term

Says = Callable[[Term], Term]


@dataclass(frozen=True)
class Question:
    """What is given, and what must follow from it."""

    name: str
    given: tuple[Term, ...]
    goal: Term
    cases: Mapping[str, Term] = field(default_factory=dict)
    """What must be possible besides, or less is said than it seems."""

    @property
    def denied(self) -> list[z3.BoolRef]:
        """What must be impossible: all that is given, and not the goal."""
        return [*map(as_term, self.given), z3.Not(as_term(self.goal))]


def for_all(says: Callable[..., Term], count: int = 1, patterns: Callable[..., Sequence[Any]] | None = None) -> Term:
    """It holds of all whole numbers."""
    xs = [z3.FreshInt("i") for _ in range(count)]
    return z3.ForAll(xs, as_term(says(*xs)), patterns=[] if patterns is None else list(patterns(*xs)))


@dataclass(frozen=True)
class Induction:
    """Something is said of every number first <= i <= last, from the first up or from the last down.

    `defined(i)` is what relates sequences that are defined step by step at i to the next number; `calls(i)` are terms
    that call to mind what is said of i.
    """

    name: str
    says: Says
    first: Term
    last: Term
    defined: Says = lambda _: True
    calls: Callable[[Term], Sequence[Any]] | None = None
    down: bool = False

    def base(self, given: Sequence[Term]) -> Question:
        """It holds where it begins."""
        begin = self.last if self.down else self.first
        return Question(f"{self.name}base", (*given, self.first <= self.last), self.says(begin))

    def step(self, given: Sequence[Term]) -> Question:
        """If it holds of one, it holds of the next."""
        i = z3.FreshInt("i")
        return Question(f"{self.name}step", (*given, *self.at(i)), self.says(self.next(i)))

    def at(self, i: Term) -> tuple[Term, ...]:
        """What is known where a step begins."""
        inside = And(self.first < i, i <= self.last) if self.down else And(self.first <= i, i < self.last)
        return inside, self.says(i), self.defined(i)

    def next(self, i: Term) -> Term:
        """Where a step leads."""
        return i - 1 if self.down else i + 1

    @property
    def conclusion(self) -> Term:
        """It holds of all."""
        return for_all(lambda i: Implies(And(self.first <= i, i <= self.last), self.says(i)), 1, self.calls)


def by_induction(
    given: Sequence[Term], inductions: Sequence[Induction], goals: Mapping[str, Term]
) -> Iterator[Question]:
    """Base and step of each induction, and the goals; each may lean on the conclusions before it."""
    known = list(given)
    for induction in inductions:
        yield induction.base(known)
        yield induction.step(known)
        known.append(induction.conclusion)
    yield from (Question(name, tuple(known), goal) for name, goal in goals.items())


def induction_lemma() -> Iterator[Question]:
    """The conclusion follows from base, step and the outermost number of which it would be false, whatever is said.

    Going up that is the least such number; going down, the greatest.
    """
    yield _lemma("up", False)
    yield _lemma("down", True)


def _lemma(name: str, down: bool) -> Question:
    said = z3.Function("says", z3.IntSort(), z3.BoolSort())
    first, last, worst = z3.Ints("first last worst")

    def says(i: Term) -> Any:
        return said(i)

    def call(i: Term) -> list[Any]:
        return [said(i)]

    whole = Induction("", says, first, last, calls=call, down=down)
    base = whole.base(())
    step = for_all(lambda i: Implies(And(*whole.at(i)), says(whole.next(i))), 1, call)

    def came_before(i: Term) -> Term:
        return And(worst < i, i <= last) if down else And(first <= i, i < worst)

    outermost = And(
        first <= worst,
        worst <= last,
        Not(says(worst)),
        for_all(lambda i: Implies(came_before(i), says(i)), 1, call),
    )
    has_outermost = Implies(Not(whole.conclusion), outermost)
    return Question(name, (Implies(And(*base.given), base.goal), step, has_outermost), whole.conclusion)
