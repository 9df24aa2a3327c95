"""Vacuity: what is proved of everything says nothing if there is nothing.

Every action is possible in some legal state, there is a state at the start, and every case of every property occurs in
some legal state or step.  Each is shown by an example, which is judged again outside the solver.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from properties.admission.small import Small
from properties.cases import CaseReading
from properties.examples import Example
from properties.judging import NotConfirmed, confirm_legal
from properties.limits import Limits
from properties.obligations import Kind
from properties.raised import BitTerms, PlainTerms
from properties.readings import reading
from properties.search import GaveUp, Search, shapes
from properties.small import as_bits
from properties.specification import Specification, written
from spec.catalog import Property
from spec.logic import Term
from spec.state import State


@dataclass(frozen=True)
class Sighting:
    """Whether something was seen to happen at one stage; without an example it was not, perhaps for a reason."""

    name: str
    stage: str
    example: Example | Small | None
    reason: str = ""


def case_name(property_name: str, case: int, of: int) -> str:
    """The name of a case of a property, which are counted from 1."""
    return f"{property_name}, case {case} of {of}" if of > 1 else property_name


def possibility(stage: str) -> str:
    """What it is called that a stage can happen at all."""
    specification = written(stage)
    special = {
        Kind.LEMMA: "an arena with computed addresses",
        Kind.INITIAL: "a state at the start",
        Kind.THEOREM: "a legal state",
    }
    named = {specification.stage(kind): specification.prefix + called for kind, called in special.items()}
    return named.get(stage, f"{stage} happens")


def sightings(specification: Specification, stage: str, names: Iterable[str], limits: Limits) -> Iterator[Sighting]:
    """Whether the stage can happen, if its `possibility` is among the names, and which cases of properties occur."""
    search = Search(specification, stage, shapes(specification, stage)[0], limits)
    for name in names:
        if name == possibility(stage):
            seen = _sighting(search, name, True, lambda _: True)
            if seen.example is None and not seen.reason:
                seen = _sighting(_with_float(specification, stage, limits), name, True, lambda _: True)
            yield seen
        else:
            yield from _cases(search, name)


def question(specification: Specification, stage: str, limits: Limits) -> tuple[str, list[tuple[str, Any]]]:
    """What is asked of a solver to see that a stage is possible, by name: what is given of a small arena."""
    search = Search(specification, stage, shapes(specification, stage)[0], limits)
    if search.find(True) is None:
        search = _with_float(specification, stage, limits)
    return possibility(stage), [(name, as_bits(formula)) for name, formula in search.scene.given]


def _with_float(specification: Specification, stage: str, limits: Limits) -> Search:
    """A search where a band is between two others, which arenas with a device usually have not: they are slow."""
    return Search(specification, stage, replace(shapes(specification, stage)[0], sizes=(2, 1, 1)), limits)


def properties_at(specification: Specification, stage: str) -> Mapping[str, Property]:
    """The properties whose cases can occur at a stage: of steps with an action, of states at the theorems' stage."""
    if stage in specification.actions:
        return specification.own("steps")
    if stage != specification.stage(Kind.THEOREM):
        return {}
    return {**specification.own("invariants"), **specification.own("theorems")}


def _cases(search: Search, name: str) -> Iterator[Sighting]:
    holds = properties_at(search.specification, search.stage)[name].holds
    domains = search.shape.domains
    signature = search.specification.signature
    searched = CaseReading(BitTerms(search.small.connectives), domains, signature)
    judged = CaseReading(PlainTerms(), domains, signature)

    def states(example: Example) -> list[State]:
        return [example.before.state(), example.after.state()][: 1 + (example.action is not None)]

    def occurs(case: int) -> Callable[[Example], bool]:
        def judge(example: Example) -> bool:
            with reading(judged):
                return judged.cases(holds, *states(example))[case].value is True

        return judge

    with reading(searched):
        of_scene = [search.scene.before, search.scene.after][: 1 + (search.stage in search.specification.actions)]
        cases = searched.cases(holds, *of_scene)
    for i, case in enumerate(cases):
        yield _sighting(search, case_name(name, i + 1, len(cases)), case, occurs(i))


def _sighting(search: Search, name: str, formula: Term, occurs: Callable[[Example], bool]) -> Sighting:
    try:
        example = search.find(formula)
        if example is None:
            return Sighting(name, search.stage, None)
        confirm_legal(search.specification, search.stage, example)
        if not occurs(example):
            raise NotConfirmed(f"{name}: it does not occur after all")
    except (GaveUp, NotConfirmed) as why:
        return Sighting(name, search.stage, None, str(why))
    return Sighting(name, search.stage, example)
