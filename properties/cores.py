"""What each proof leans on: the hypotheses of its unsatisfiable core, which the solver does not try to make smaller.

There are other proofs, and other cores: that a hypothesis is in none of them does not say that it could be missing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import z3

from properties.admission import asking
from properties.asked import Asked, asked
from properties.limits import USUAL, Limits
from properties.obligations import Kind, Obligation
from properties.selection import everything
from properties.smtlib import unique
from properties.specification import SPECIFICATIONS, written
from properties.workers import results

PATIENCE = 10
"""How many times what a proof may take a core may: the solver keeps account of each hypothesis."""


@dataclass(frozen=True)
class Core:
    """The names of what a proof leans on; none of them is known if the solver did not find it."""

    obligation: Obligation
    leans_on: tuple[str, ...] | None


@dataclass(frozen=True)
class Lean:
    """Find the cores of obligations of one stage."""

    obligations: tuple[Obligation, ...]
    limits: Limits


def cores(obligations: Sequence[Obligation], jobs: int, limits: Limits = USUAL) -> Iterator[Core]:
    """The core of each, in their order."""
    stages = groupby(obligations, key=lambda obligation: asking.theorem_of(obligation.stage))
    yield from results(lean, [Lean(tuple(of_stage), limits) for _, of_stage in stages], jobs)


def lean(task: Lean) -> Iterator[Core]:
    """The cores of obligations of one stage."""
    for question in asked(task.obligations):
        yield Core(question.obligation, core(question, task.limits))


def core(question: Asked, limits: Limits) -> tuple[str, ...] | None:
    """The names of the hypotheses from which the goal follows, in the order in which they are given."""
    solver = z3.Solver()
    solver.set("rlimit", PATIENCE * limits.effort)
    solver.set("timeout", PATIENCE * limits.milliseconds)
    names = unique(name for name, _ in question.given)
    for name, (_, formula) in zip(names, question.given, strict=True):
        solver.assert_and_track(formula, z3.Bool(name))
    solver.add(question.denied)
    if solver.check() != z3.unsat:
        return None
    found = {str(tracked) for tracked in solver.unsat_core()}
    of_name = dict(zip(names, (name for name, _ in question.given), strict=True))
    return tuple(dict.fromkeys(of_name[name] for name in names if name in found))


def leaned_on(found: Iterable[Core]) -> Mapping[str, Counter[str]]:
    """How often the proofs of each invariant and theorem lean on which invariants."""
    table: dict[str, Counter[str]] = {}
    for each in found:
        if each.leans_on is not None and each.obligation.kind is not Kind.ADMISSION:
            invariants = written(each.obligation.stage).invariants
            table.setdefault(each.obligation.property, Counter()).update(n for n in each.leans_on if n in invariants)
    return table


def is_whole(found: Sequence[Core]) -> bool:
    """Whether no proof of the specifications and of admission is missing."""
    return {each.obligation for each in found} == set(everything().obligations)


def idle(found: Iterable[Core]) -> tuple[str, ...]:
    """The invariants that no proof leans on, but that of their own that an action keeps them."""
    used = {
        name
        for each in found
        for name in each.leans_on or ()
        if not (each.obligation.kind is Kind.INDUCTIVE and each.obligation.property == name)
    }
    every = dict.fromkeys(name for whole in SPECIFICATIONS for name in whole.invariants)
    return tuple(name for name in every if name not in used)
