"""Connectives that read plain Python values and solver terms alike.

What is neither True nor False is a solver's term, and is handed to the connectives that the solver's side has
installed; with plain values in, plain values come out and no solver is ever asked.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

Term: TypeAlias = Any
"""A Python value or a solver's term. The specification does not care which, so its types cannot say more."""


class Connectives(Protocol):
    """What a solver's side provides for its terms."""

    def conjunction(self, parts: list[Term]) -> Term: ...
    def disjunction(self, parts: list[Term]) -> Term: ...
    def negation(self, part: Term) -> Term: ...
    def implication(self, condition: Term, conclusion: Term) -> Term: ...
    def choice(self, condition: Term, yes: Term, no: Term) -> Term: ...


_installed: list[Connectives] = []


def install(connectives: Connectives) -> None:
    """Read terms with these connectives from now on."""
    _installed[:] = [connectives]


@contextmanager
def installed(connectives: Connectives) -> Iterator[None]:
    """Read terms with these connectives inside the block."""
    previous = _installed[:]
    _installed[:] = [connectives]
    try:
        yield
    finally:
        _installed[:] = previous


def _solver() -> Connectives:
    if not _installed:
        raise TypeError("a value that is neither True nor False was met, and no solver's connectives are installed")
    return _installed[0]


def And(*parts: Term) -> Term:
    """All of them hold."""
    terms = []
    for part in parts:
        if part is False:
            return False
        if part is not True:
            terms.append(part)
    return _solver().conjunction(terms) if terms else True


def Or(*parts: Term) -> Term:
    """One of them holds."""
    terms = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            terms.append(part)
    return _solver().disjunction(terms) if terms else False


def Not(part: Term) -> Term:
    """It does not hold."""
    return (not part) if part is True or part is False else _solver().negation(part)


def Implies(condition: Term, conclusion: Term) -> Term:
    """The conclusion holds if the condition does."""
    if condition is False or conclusion is True:
        return True
    if condition is True:
        return conclusion
    return Not(condition) if conclusion is False else _solver().implication(condition, conclusion)


def If(condition: Term, yes: Term, no: Term) -> Term:
    """One value or the other."""
    if condition is True:
        return yes
    if condition is False:
        return no
    return _solver().choice(condition, yes, no)


def larger(a: Term, b: Term) -> Term:
    """The larger of two numbers."""
    return If(a >= b, a, b)
