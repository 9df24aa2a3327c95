"""Terms that are written down as Python: what the specification says of them becomes code.

What is needed outside of any loop is worked out once, on a line of its own before the line that needs it.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from spec.logic import And, Not, Or, Term
from spec.ranges import Body, Range, Those, Word


def said(*parts: Term) -> "Code":
    """The parts one after the other: texts as they are, other values as Python writes them."""
    of = frozenset[str]().union(*[part.of for part in parts if isinstance(part, Code)])
    return Code("".join(part if isinstance(part, str) else repr(part) for part in parts), of)


def listed(terms: Iterable[Term]) -> "Code":
    """The terms, each with a comma after it."""
    return said(*[part for term in terms for part in (term, ",")])


def _operator(symbol: str) -> Callable[[Any, Any], Any]:
    return lambda one, other: said("(", one, f" {symbol} ", other, ")")


class Code:
    """An expression. `of` are the variables of loops that it speaks of; outside of these loops it means nothing."""

    __slots__ = ("of", "text")
    __hash__ = None  # type: ignore[assignment]  # what is equal to what is not known yet

    def __init__(self, text: str, of: frozenset[str] = frozenset()) -> None:
        self.text, self.of = text, of

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        raise TypeError(f"whether {self.text} is not known while code is written")

    def __eq__(self, other: object) -> Any:
        return self._is(other) or _operator("==")(self, other)

    def __ne__(self, other: object) -> Any:
        return not self._is(other) and _operator("!=")(self, other)

    def _is(self, other: object) -> bool:
        return isinstance(other, Code) and other.text == self.text

    __lt__, __le__, __gt__, __ge__, __add__, __sub__ = map(_operator, ("<", "<=", ">", ">=", "+", "-"))


class Written:
    """Connectives of code."""

    def conjunction(self, parts: list[Term]) -> Term:
        return functools.reduce(_operator("and"), parts)

    def disjunction(self, parts: list[Term]) -> Term:
        return functools.reduce(_operator("or"), parts)

    def negation(self, part: Term) -> Term:
        return said("(not ", part, ")")

    def implication(self, condition: Term, conclusion: Term) -> Term:
        return said("(not ", condition, " or ", conclusion, ")")

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        return said("(", yes, " if ", condition, " else ", no, ")")


class Lines:
    """Lines of code, as they are added."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: list[dict[str, Code]] = [{}]  # what has been worked out, in this block and those around it
        self._names = 0

    def add(self, *lines: str) -> None:
        """More lines of the block that is being written."""
        self.lines += ["    " * (len(self._known) - 1) + line for line in lines]

    @contextmanager
    def under(self, head: str) -> Iterator[None]:
        """Lines that are added inside are a block under this head."""
        self.add(f"{head}:")
        self._known.append({})
        yield
        self._known.pop()

    def choose(self, condition: Term, yes: list[str], no: list[str]) -> None:
        """Lines for where a condition holds, and for where it does not."""
        if not isinstance(condition, Code):
            self.add(*yes if condition else no)
            return
        for head, lines in ((f"if {condition}", yes), ("else", no)) if yes else ((f"if not {condition}", no),):
            if lines:
                with self.under(head):
                    self.add(*lines)

    def new(self) -> Code:
        """A name for something else."""
        self._names += 1
        return Code(f"x{self._names}")

    def named(self, term: Term) -> Term:
        """The same by a name, unless it is one, no code at all, or speaks of a loop's variables."""
        if not isinstance(term, Code) or term.of or term.text.isidentifier():
            return term
        for known in self._known:
            if term.text in known:
                return known[term.text]
        name = self._known[-1][term.text] = self.new()
        self.add(f"{name} = {term}")
        return name


class Loop(NamedTuple):
    """Goes through the members of a listing, each of which is as many values as there are variables."""

    variables: tuple[Code, ...]
    source: Code

    @property
    def head(self) -> Code:
        """How the loop begins."""
        return said(" for ", listed(self.variables), " in ", self.source)


class Loops(Those):
    """A range of what loops come to, one inside the other. Without any it has one member."""

    def __init__(self, loops: tuple[Loop, ...], members: tuple[Term, ...]) -> None:
        super().__init__([], lambda *_: True)
        self.loops, self.members = loops, members

    def forall(self, body: Body) -> Term:
        holds = body(*self.members)
        return Or(Not(self.loops[0].source), self._quantified("all", holds)) if self.loops else holds

    def exists(self, body: Body) -> Term:
        holds = body(*self.members)
        if holds is True and len(self.loops) == 1:
            return self.loops[0].source
        return And(self.loops[0].source, self._quantified("any", holds)) if self.loops else holds

    def _quantified(self, quantifier: str, holds: Term) -> Code:
        code = said(quantifier, "([", holds, *[loop.head for loop in self.loops], "])")
        return Code(code.text, code.of.difference(*[variable.of for loop in self.loops for variable in loop.variables]))

    def union(self, word: Word, s: Any) -> Range:
        inner = word(s, *self.members)
        assert isinstance(inner, Loops), "every word is listed"
        return Loops((*self.loops, *inner.loops), inner.members)
