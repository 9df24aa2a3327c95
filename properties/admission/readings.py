"""The two readings of a theorem: of anything, with the solver's quantifiers, and of small cases, written out.

A small case is made twice by the same function: once of unknown numbers, so that the solver may look for them, and once
of the numbers that were found, in plain values, where there is no solver to trust.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import z3

from properties.admission.chains import Shape
from properties.plain import NO_SOLVER
from properties.unbounded import Quantifiers, Z3Connectives, as_term
from spec.concrete import Domains
from spec.logic import Connectives
from spec.ranges import Universe
from spec.state import READ, WRITE


def _domains(shape: Shape) -> Domains:
    return Domains(
        {
            "band": range(len(shape.sizes)),
            "page": shape.pages,
            "ticket": range(2),
            "publisher": range(2),
            "access": range(2),
            "vid": range(2),
            "value": range(2),
            "mode": (READ, WRITE),
        }
    )


@dataclass(frozen=True)
class Frame:
    """Connectives and a universe."""

    connectives: Connectives
    universe: Universe


ANYTHING = Frame(Z3Connectives(as_term), Quantifiers(z3.Int("bands")))


def searched(shape: Shape) -> Frame:
    """Small cases of numbers that are looked for."""
    return Frame(Z3Connectives(as_term), _domains(shape))


def judged(shape: Shape) -> Frame:
    """Small cases in plain values."""
    return Frame(NO_SOLVER, _domains(shape))


@dataclass
class Wanted:
    """Numbers that the solver is to find, each within its range."""

    ranges: dict[str, tuple[Any, int, int]] = field(default_factory=dict)

    def __call__(self, name: str, first: int, last: int) -> Any:
        """The number of a name, the same each time."""
        return self.ranges.setdefault(name, (z3.Int(name), first, last))[0]

    @property
    def within(self) -> list[z3.BoolRef]:
        """All of them are within their ranges."""
        return [z3.And(first <= x, x <= last) for x, first, last in self.ranges.values()]

    def found(self, model: z3.ModelRef) -> Mapping[str, int]:
        """What the solver found."""
        return {name: model.eval(x, model_completion=True).as_long() for name, (x, _, _) in self.ranges.items()}


@dataclass(frozen=True)
class Found:
    """Numbers that were found."""

    numbers: Mapping[str, int]

    def __call__(self, name: str, first: int, last: int) -> int:
        """The number of a name; what nobody looked for may be anything. Raises ValueError if it is out of range."""
        value = self.numbers.get(name, first)
        if not first <= value <= last:
            raise ValueError(f"{name} = {value} is not within {first} and {last}")
        return value
