"""The plain reading: Python values in, Python values out, and no solver that could be asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from properties.shapes import Shape
from spec.concrete import Domains
from spec.logic import Term, install
from spec.ranges import Body, universe

Member = tuple[tuple[str, int], ...]
"""A member of a range: the sort and the value of each of its parts."""


class NotPlain(TypeError):
    """A value that is neither True nor False was met where everything is plain."""


class _NoSolver:
    def conjunction(self, parts: list[Term]) -> NoReturn:
        raise NotPlain(f"and of {parts!r}")

    def disjunction(self, parts: list[Term]) -> NoReturn:
        raise NotPlain(f"or of {parts!r}")

    def negation(self, part: Term) -> NoReturn:
        raise NotPlain(f"not of {part!r}")

    def implication(self, condition: Term, conclusion: Term) -> NoReturn:
        raise NotPlain(f"{condition!r} implies {conclusion!r}")

    def choice(self, condition: Term, yes: Term, no: Term) -> NoReturn:
        raise NotPlain(f"if {condition!r}")


NO_SOLVER = _NoSolver()
"""Connectives that refuse whatever is not plain."""


class Culprits(Domains):
    """Enumeration that notes the members of the outermost ranges of which what was said of all is false."""

    def __init__(self, domains: Domains) -> None:
        super().__init__(domains.members)
        self.found: list[Member] = []
        self._depth = 0

    def forall(self, sorts: list[str], body: Body) -> Term:
        """The body holds of every tuple; all are asked, so that all culprits are known."""
        if self._depth:
            return super().forall(sorts, body)
        holds = True
        self._depth += 1
        for member in self.tuples(sorts):
            if body(*member) is False:
                self.found.append(tuple(zip(sorts, member, strict=True)))
                holds = False
        self._depth -= 1
        return holds

    def exists(self, sorts: list[str], body: Body) -> Term:
        """The body holds of some tuple; what is false of one of many is no culprit."""
        self._depth += 1
        try:
            return super().exists(sorts, body)
        finally:
            self._depth -= 1


@contextmanager
def plain(shape: Shape) -> Iterator[Culprits]:
    """Read the specification with Python values inside the block, over domains a little wider than the shape's."""
    install(NO_SOLVER)
    culprits = Culprits(shape.wide_domains)
    with universe(culprits):
        yield culprits
