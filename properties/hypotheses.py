"""That what a part of a theorem of admission is given can be: some state of things in which all of it is true.

A solver that is asked for any state of things often cannot tell, where something is said of all numbers. So it is
asked for a plain one first: several bands, on grids on which every page has one byte, and every other function the same
of all. What is true there can be true. That the theorem as a whole can be is seen in a small case, by `asking`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from properties.admission import asking
from properties.admission.readings import ANYTHING
from properties.admission.small import Small
from properties.admission.subject import AS_IT_IS
from properties.admission.theorems import THEOREMS
from properties.limits import Limits
from properties.readings import reading
from properties.smtlib import Named, functions
from properties.unbounded import as_term
from properties.witnesses import Sighting

ONE_BYTE_A_PAGE: Mapping[str, Callable[[Any, Any, Any], Any]] = {
    "address": lambda origin, _size, page: origin + page,
    "first_page_from": lambda origin, _size, byte: byte - origin,
    "pages_until": lambda origin, _size, byte: byte - origin,
}
"""Grids for which the lemmas hold, whatever they are told that the size is."""


@dataclass(frozen=True)
class Hypotheses:
    """What a part of a theorem is given, as it was asked about, and the solver's answer."""

    name: str
    parts: tuple[Named, ...]
    answer: z3.CheckSatResult
    numbers: Small | None
    """An example, as far as it is numbers."""


def hypotheses(stage: str, limits: Limits) -> Iterator[Hypotheses]:
    """The hypotheses of each part of a theorem; a plain state of things is tried first, and then any."""
    theorem = THEOREMS[stage.removeprefix(asking.PREFIX)]
    with reading(ANYTHING):
        # where a small case is given the same, it is what all of it is true of
        parts = [] if theorem.reads_alike else list(theorem.questions(AS_IT_IS))
    for part in parts:
        given = [as_term(each) for each in part.given]
        name = f"{stage}.{part.name}, what it is given"
        unknown = functions(given)
        plain = _asked(name, [*_plainly(given, unknown), *_several_bands(unknown)], limits)
        yield plain if plain.answer == z3.sat else _asked(name, given, limits)


def sightings(stage: str, limits: Limits) -> Iterator[Sighting]:
    """Whether what each part of a theorem is given can be."""
    for each in hypotheses(stage, limits):
        reason = "nothing was found of which it is true" if each.answer == z3.unknown else ""
        yield Sighting(each.name, stage, each.numbers, reason)


def _asked(name: str, given: Sequence[Any], limits: Limits) -> Hypotheses:
    solver = z3.Solver()
    solver.set("timeout", limits.milliseconds)
    solver.set("rlimit", limits.effort)
    solver.add(*given)
    answer = solver.check()
    parts = tuple((f"given {i}", each) for i, each in enumerate(given, start=1))
    return Hypotheses(name, parts, answer, _numbers(solver.model()) if answer == z3.sat else None)


def _several_bands(unknown: Sequence[z3.FuncDeclRef]) -> list[Any]:
    return [z3.Int("bands") > 1] if "bands" in {f.name() for f in unknown} else []


def _plainly(given: Sequence[Any], unknown: Sequence[z3.FuncDeclRef]) -> list[Any]:
    meanings = [(f, _meaning(f)) for f in unknown if f.arity()]
    return [z3.substitute_funs(each, *meanings) if meanings else each for each in given]


def _meaning(function: z3.FuncDeclRef) -> Any:
    arguments = [z3.Var(i, function.domain(i)) for i in range(function.arity())]
    if function.name() in ONE_BYTE_A_PAGE:
        return ONE_BYTE_A_PAGE[function.name()](*arguments)
    return z3.Const(f"{function.name()} of all", function.range())


def _numbers(model: z3.ModelRef) -> Small:
    values = {str(constant): model[constant] for constant in model.decls() if not constant.arity()}
    return Small({name: value.as_long() for name, value in values.items() if z3.is_int_value(value)})
