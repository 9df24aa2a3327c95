"""Necessity: what each guard sentence is for, and whether a seeded fault is caught by the property it names.

A weakening is made, and the property that it names must be refuted by an example, judged again outside the solver.
The prover must then not prove that property: if it did, one of the two readings would be wrong.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby

from properties.judging import Counterexample, NotConfirmed, false_of
from properties.ladder import refutation, refutations
from properties.limits import Limits
from properties.obligations import Obligation
from properties.prover import Proof, Prover
from properties.search import GaveUp, Search, shapes
from properties.specification import Specification
from properties.weakenings import Weakening, touched

REDUNDANT: Mapping[str, str] = {}
"""Guard sentences whose absence refutes nothing, each with the reason why it is there."""

DOUBT = 40
"""The fraction of the usual effort that a proof is given here: still more than the slowest one needs."""


@dataclass(frozen=True)
class Trial:
    """What came of a weakening: `refuted` are the properties that it breaks in small arenas, each judged again."""

    name: str
    says: str
    property: str
    precedent: str
    refuted: tuple[str, ...]
    counterexample: Counterexample | None
    seconds: float
    wrong: str = ""
    """Why the trial is not as it must be; empty if it is."""

    undecided: bool = False
    """A limit was reached: the trial says nothing."""

    found: str = ""
    """A counterexample that is no arena, in words."""


def trial(specification: Specification, weakening: Weakening, limits: Limits) -> Trial:
    """Make the weakening and see what it breaks."""
    began = time.perf_counter()
    weakened = weakening.change(specification)
    found: dict[str, Counterexample] = {}
    wrong, undecided = "", False
    try:
        asked = touched(specification, weakened)
        found = _broken_at_once(weakened, asked, weakening.property, limits)
        if specification.base is None and not found:
            # it is not what it was taken to be: what does it break?
            found = _broken(weakened, asked, weakening.property, limits)
        wrong = _wrong(weakened, weakening, found, limits)
    except (GaveUp, NotConfirmed) as why:
        wrong, undecided = str(why), isinstance(why, GaveUp)
    return Trial(
        weakening.name,
        weakening.says,
        weakening.property,
        weakening.precedent,
        tuple(found),
        found.get(weakening.property),
        time.perf_counter() - began,
        wrong,
        undecided,
    )


def _broken(
    weakened: Specification, asked: Sequence[Obligation], named: str, limits: Limits
) -> dict[str, Counterexample]:
    """What is refuted in the smallest arenas, by property; if the named one is not, it is looked for in larger ones."""
    found: dict[str, Counterexample] = {}
    for stage, of_stage in groupby(asked, key=lambda obligation: obligation.stage):
        found |= {**_broken_at(weakened, stage, list(of_stage), named, limits), **found}
    return found


def _broken_at(
    weakened: Specification, stage: str, asked: Sequence[Obligation], named: str, limits: Limits
) -> dict[str, Counterexample]:
    found: dict[str, Counterexample] = {}
    prover: Prover | None = None
    for shape in shapes(weakened, stage):
        search = Search(weakened, stage, shape, limits)
        for obligation in asked:
            # A proof is quicker than a search in vain.
            if obligation.property != named:
                prover = prover or Prover(weakened, stage)
                if _proves(prover, obligation, limits):
                    continue
            refuted = refutation(search, obligation)
            if refuted is not None:
                found[obligation.property] = refuted
        if named in found:
            break
        asked = [obligation for obligation in asked if obligation.property == named]
    return found


def _broken_at_once(
    weakened: Specification, asked: Sequence[Obligation], named: str, limits: Limits
) -> dict[str, Counterexample]:
    """The named property, and what else is false of some examples of it: so many obligations are not searched each."""
    for obligation in [obligation for obligation in asked if obligation.property == named]:
        of_stage = [each for each in asked if each.stage == obligation.stage]
        for shape in shapes(weakened, obligation.stage):
            search = Search(weakened, obligation.stage, shape, limits)
            found = _false_of_examples(search, obligation, of_stage)
            if found:
                return found
    return {}


def _false_of_examples(search: Search, named: Obligation, asked: Sequence[Obligation]) -> dict[str, Counterexample]:
    found: dict[str, Counterexample] = {}
    with closing(refutations(search, named)) as examples:
        for refuted in examples:
            found.setdefault(named.property, refuted)
            others = [obligation for obligation in asked if obligation.property not in found]
            found |= {
                each.obligation.property: each for each in false_of(search.specification, others, refuted.example)
            }
    return found


def _wrong(weakened: Specification, weakening: Weakening, found: Mapping[str, Counterexample], limits: Limits) -> str:
    if weakening.name in REDUNDANT:
        return f"it is listed as redundant, but {', '.join(found)} fails without it" if found else ""
    if weakening.property not in found:
        return f"{weakening.property} is not refuted, but {', '.join(found) or 'nothing'} is"
    obligation = found[weakening.property].obligation
    if _proves(Prover(weakened, obligation.stage), obligation, limits):
        return f"{obligation.name} is refuted by an example, and yet the prover proves it"
    return ""


def _proves(prover: Prover, obligation: Obligation, limits: Limits) -> bool:
    return prover.proof(obligation, limits.divided(DOUBT)) == Proof.FOUND
