"""What the solver is asked about an obligation, sentence by sentence: what is given, each part by its name, and a goal.

An obligation is proved when all that is given and the goal's negation have no model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import z3

from properties.admission import asking
from properties.admission.faults import FAULTS
from properties.admission.readings import ANYTHING
from properties.admission.subject import AS_IT_IS, Subject
from properties.admission.theorems import THEOREMS
from properties.known import weakenings
from properties.obligations import Kind, Obligation
from properties.readings import reading
from properties.scenes import goal, scene
from properties.specification import Specification, written
from properties.unbounded import Unbounded, as_term


@dataclass(frozen=True)
class Asked:
    """One question. Several parts may bear one name: `range` is said of each argument."""

    obligation: Obligation
    given: tuple[tuple[str, Any], ...]
    denied: z3.BoolRef
    """What says that the goal is false."""


def asked(obligations: Sequence[Obligation], weakening: str | None = None) -> Iterator[Asked]:
    """The questions of obligations in their order, of the specification as it is written or with a weakening."""
    for stage, together in groupby(obligations, key=lambda obligation: asking.theorem_of(obligation.stage)):
        of_stage = list(together)
        if of_stage[0].kind is Kind.ADMISSION:
            fault = None if weakening is None else FAULTS[weakening.removeprefix(asking.PREFIX)]
            yield from _of_theorem(stage, of_stage, AS_IT_IS if fault is None else fault.subject)
        else:
            whole = written(stage)
            yield from of_specification(whole if weakening is None else weakenings()[weakening].change(whole), of_stage)


def of_specification(specification: Specification, obligations: Sequence[Obligation]) -> Iterator[Asked]:
    """The questions of obligations of one stage of any specification, also of a weakened one."""
    unbounded = Unbounded(specification.signature)
    with reading(unbounded):
        at = scene(unbounded, specification, obligations[0].stage)
        given = tuple((name, as_term(formula)) for name, formula in at.given)
    for obligation in obligations:
        with reading(unbounded):
            denied = z3.Not(as_term(goal(specification, obligation, at)))
        yield Asked(obligation, given, denied)


def _of_theorem(stage: str, obligations: Sequence[Obligation], subject: Subject) -> Iterator[Asked]:
    theorem = THEOREMS[stage.removeprefix(asking.PREFIX)]
    with reading(ANYTHING):
        questions = {f"{stage}.{question.name}": question for question in theorem.questions(subject)}
    for obligation in obligations:
        question = questions[obligation.stage]
        # What a theorem of admission is given has no names: it is known by its place.
        given = tuple((f"given {i}", as_term(each)) for i, each in enumerate(question.given, start=1))
        yield Asked(obligation, given, z3.Not(as_term(question.goal)))
