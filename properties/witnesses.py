"""Vacuity: what is proved of everything says nothing if there is nothing.

Every action is possible in some legal state, there is a state at the start, and every case of every property occurs in
some legal state or step. Each is shown by an example, which is judged again outside the solver.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from properties.specification import Specification, written
from spec.catalog import Property
from spec.logic import Term


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
    asked = list(names)
    cases = [name for name in asked if name != possibility(stage)]
    looking = _Looking(Search(specification, stage, shapes(specification, stage)[0], limits), cases)
    for name in asked:
        if name == possibility(stage):
            seen = looking.possible()
            if seen.example is None and not seen.reason:
                seen = _Looking(_with_float(specification, stage, limits), ()).possible()
            yield seen
        else:
            yield from looking.cases_of(name)


def question(specification: Specification, stage: str, limits: Limits) -> tuple[str, list[tuple[str, Any]]]:
    """What is asked of a solver to see that a stage is possible, by name: what is given of a small arena."""
    search = Search(specification, stage, shapes(specification, stage)[0], limits)
    if search.find(True) is None:
        search = _with_float(specification, stage, limits)
    return possibility(stage), [(name, search.small.pool.asked(formula)) for name, formula in search.scene.given]


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


class _Looking:
    """Looks for the cases of some properties; an example of one of them shows all that occur in it."""

    def __init__(self, search: Search, names: Sequence[str]) -> None:
        self.search = search
        domains, signature = search.shape.domains, search.specification.signature
        self.searched = CaseReading(BitTerms(search.small.pool), domains, signature)
        self.judged = CaseReading(PlainTerms(), domains, signature)
        self.unseen = [(name, properties_at(search.specification, search.stage)[name].holds) for name in names]
        self.known: dict[tuple[str, int], Example] = {}

    def possible(self) -> Sighting:
        """Whether the stage can happen at all."""
        return self._sighting(possibility(self.search.stage), True)

    def cases_of(self, name: str) -> Iterator[Sighting]:
        """Which cases of a property occur."""
        scene, specification = self.search.scene, self.search.specification
        holds = next(holds for unseen, holds in self.unseen if unseen == name)
        with reading(self.searched):
            cases = self.searched.cases(
                holds, *[scene.before, scene.after][: 1 + (self.search.stage in specification.actions)]
            )
        for i, case in enumerate(cases):
            called = case_name(name, i + 1, len(cases))
            if (name, i) in self.known:
                yield Sighting(called, self.search.stage, self.known[name, i])
            else:
                yield self._sighting(called, case, (name, i))
        self.unseen = [each for each in self.unseen if each[0] != name]

    def _sighting(self, called: str, formula: Term, case: tuple[str, int] | None = None) -> Sighting:
        stage = self.search.stage
        try:
            example = self.search.find(formula)
            if example is None:
                return Sighting(called, stage, None)
            confirm_legal(self.search.specification, stage, example)
            self._look_at(example)
            if case is not None and case not in self.known:
                raise NotConfirmed(f"{called}: it does not occur after all")
        except (GaveUp, NotConfirmed) as why:
            return Sighting(called, stage, None, str(why))
        return Sighting(called, stage, example)

    def _look_at(self, example: Example) -> None:
        """Note what occurs in a legal example, judged in plain values."""
        states = [example.before.state(), example.after.state()][: 1 + (example.action is not None)]
        with reading(self.judged):
            for name, holds in self.unseen:
                for i, case in enumerate(self.judged.cases(holds, *states)):
                    if case.value is True:
                        self.known.setdefault((name, i), example)
