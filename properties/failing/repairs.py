"""The guard sentence that mends an action: with it, all that the action must keep is proved, and it can still happen.

Counterexamples sort candidates out, and those that pass are searched for new ones, so that few are ever put to the
prover. Of several that mend the action one is told that forbids the least: of the steps that are met by chance and
break nothing it allows the most.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from properties.examples import Arena, Example
from properties.failing.budget import QUESTION, Budget
from properties.failing.playing import met
from properties.failing.routes import emptied
from properties.failing.smallest import COUNTS
from properties.failing.vocabulary import Candidate, candidates
from properties.judging import Counterexample, NotConfirmed, confirm_legal, culprits_of
from properties.limits import USUAL
from properties.obligations import Obligation, of_action
from properties.plain import plain
from properties.prover import Proof, Prover
from properties.readings import reading
from properties.scenes import goal
from properties.search import GaveUp, Search, shapes
from properties.shapes import Shape
from properties.specification import Specification, with_action, with_guard
from properties.trials import DOUBT
from spec.catalog import Guard
from spec.logic import And, Not, Term

PROOFS = 8
"""Candidates that are put to the prover."""

OUTINGS, STEPS = 12, 300
"""How many outings, of how many steps at most, candidates are compared by."""


@dataclass(frozen=True)
class Repair:
    """The sentence that mends an action, or that no single one of so many does."""

    sentence: str = ""
    """Empty if there is none."""

    action: str = ""
    """The action that has it in its guard, if one has."""

    where: str = ""
    """What the arguments of that action stand for, where they have other names."""

    witness: Example | None = None
    """The mended action, happening."""

    tried: int = 0
    is_whole: bool = True
    """Every candidate was tried; else the budget was spent before."""


def mended(specification: Specification, stage: str, candidate: Candidate) -> Specification:
    """The specification with a sentence added to the guard of an action."""

    def longer(guard: Guard, s: object, *arguments: Term) -> Guard:
        yield from guard
        yield candidate.sentence, candidate.holds(s, *arguments), ""

    return with_action(specification, with_guard(specification.actions[stage], longer))


def repair(specification: Specification, known: Sequence[Counterexample], budget: Budget) -> Repair:
    """What mends the action that these refute."""
    return _Repairing(specification, known).repair(budget)


class _Repairing:
    def __init__(self, specification: Specification, known: Sequence[Counterexample]) -> None:
        self.specification, self.stage = specification, known[0].obligation.stage
        self.broken = [each.obligation for each in known]
        self.refuting = [each.example for each in known]
        most = shapes(specification, self.stage)[0]
        self.near = _Small(specification, self.broken, _a_little_larger([each.shape for each in self.arenas], most))
        self.far: _Small | None = None
        self.most = most

    @property
    def arenas(self) -> list[Arena]:
        """The arenas of examples of which something is false."""
        return [example.before for example in self.refuting]

    def repair(self, budget: Budget) -> Repair:
        sifting = budget.part(0.7)
        passing: list[tuple[Candidate, Example]] = []
        tried, whole = 0, True
        for candidate in candidates(self.specification, self.stage):
            if sifting.is_spent:
                whole = False
                break
            tried += 1
            witness = self._passes(candidate)
            if witness is not None:
                passing.append((candidate, witness))
        proofs = 0
        for candidate, witness in self._least_forbidding(passing, budget):
            if not self._forbids_all(candidate):
                continue
            if budget.is_spent or proofs == PROOFS:
                whole = False
                break
            proofs += 1
            if self._proved(candidate):
                return Repair(candidate.sentence, candidate.action, candidate.where, witness, tried, whole)
            self._look_farther(candidate)
        return Repair(tried=tried, is_whole=whole)

    def _passes(self, candidate: Candidate) -> Example | None:
        """A witness that the action can still happen, if no counterexample is left in arenas about as small."""
        if not self._forbids_all(candidate):
            return None
        try:
            witness = self.near.found(candidate)
            if witness is None:
                return None
            refuting = self.near.refuting(candidate)
            if refuting is not None:
                self.refuting.append(refuting)
                return None
            confirm_legal(mended(self.specification, self.stage, candidate), self.stage, witness)
        except (GaveUp, NotConfirmed):
            return None
        return witness

    def _forbids_all(self, candidate: Candidate) -> bool:
        """It is false of every known counterexample."""
        return all(self._says(candidate, example) is False for example in self.refuting)

    def _says(self, candidate: Candidate, example: Example) -> Term:
        with plain(example.before.shape):
            return candidate.holds(example.before.state(), *example.arguments)

    def _least_forbidding(
        self, passing: Sequence[tuple[Candidate, Example]], budget: Budget
    ) -> list[tuple[Candidate, Example]]:
        """Those first that allow the most of the steps that break nothing, and of those one that none allows more than.

        What speaks of none of the action's arguments comes last.
        """
        if len(passing) < 2:
            return list(passing)
        steps = [
            step for step in met(self.specification, self.stage, self.near.arenas(), OUTINGS) if self._is_good(step)
        ]
        allowed = {
            candidate: sum(self._says(candidate, step) is True for step in steps[:STEPS]) for candidate, _ in passing
        }
        ranked = sorted(passing, key=lambda each: (not each[0].speaks, -allowed[each[0]]))
        alike = [each for each in ranked if each[0].speaks and allowed[each[0]] == allowed[ranked[0][0]]]
        least = ranked[0]
        for each in alike:
            if not budget.is_spent and self.near.is_weaker(each[0], least[0]):
                least = each
        return [least, *[each for each in ranked if each is not least]]

    def _is_good(self, step: Example) -> bool:
        return all(culprits_of(self.specification, obligation, step) is None for obligation in self.broken)

    def _look_farther(self, candidate: Candidate) -> None:
        """A counterexample in larger arenas to what the prover did not prove, so that others like it are left out."""
        try:
            # also of what nobody asked: it may break something else of what the action must keep
            every = tuple(of_action(self.specification, self.stage))
            self.far = self.far or _Small(self.specification, every, self.most)
            found = self.far.refuting(candidate)
        except GaveUp:
            return
        if found is not None:
            self.refuting.append(found)

    def _proved(self, candidate: Candidate) -> bool:
        whole = mended(self.specification, self.stage, candidate)
        prover = Prover(whole, self.stage)
        asked: list[Obligation] = sorted(of_action(whole, self.stage), key=lambda o: o not in self.broken)
        return all(prover.proof(obligation, USUAL.divided(DOUBT)) == Proof.FOUND for obligation in asked)


class _Small:
    """What candidates say of the arenas of one small shape."""

    def __init__(self, specification: Specification, broken: Sequence[Obligation], shape: Shape) -> None:
        self.search = Search(specification, broken[0].stage, shape, QUESTION)
        with reading(self.search.small):
            self.denied = Not(And(*[goal(specification, obligation, self.search.scene) for obligation in broken]))

    def found(self, candidate: Candidate) -> Example | None:
        """The action, happening where the candidate holds."""
        return self.search.find(self._term(candidate))

    def refuting(self, candidate: Candidate) -> Example | None:
        """The action, breaking something although the candidate holds."""
        says = self._term(candidate)
        with reading(self.search.small):
            both = And(says, self.denied)
        return self.search.find(both)

    def arenas(self) -> list[Arena]:
        """Empty arenas in which there is room in every band: without transfers, and with one."""
        s = self.search.scene.before
        shape = self.search.shape
        with reading(self.search.small):
            room = And(*[s.hi[band] - s.lo[band] >= 1 for band in range(len(shape.sizes))])
            in_order = And(*[s.before[i, j] == (i < j) for i in range(shape.tickets) for j in range(shape.tickets)])
            wishes = [
                And(room, in_order, *[s.is_transfer[i] == (i < transfers) for i in range(shape.tickets)])
                for transfers in range(2)
            ]
        found = [self.search.find(wish) for wish in (*wishes, True)]
        return [emptied(example.before) for example in found if example is not None]

    def is_weaker(self, one: Candidate, other: Candidate) -> bool:
        """It allows all that the other does, and more."""
        says, others = self._term(one), self._term(other)
        with reading(self.search.small):
            more, less = And(says, Not(others)), And(others, Not(says))
        try:
            return self.search.find(more) is not None and self.search.find(less) is None
        except GaveUp:
            return False

    def _term(self, candidate: Candidate) -> Term:
        with reading(self.search.small):
            return candidate.holds(self.search.scene.before, *self.search.scene.arguments)


def _a_little_larger(known: Sequence[Shape], most: Shape) -> Shape:
    """A shape with one more of each than those that are known, and no more than the most."""
    counts: dict[str, Any] = {
        axis: min(max(getattr(shape, axis) for shape in known) + 1, getattr(most, axis)) for axis in COUNTS
    }
    bands = min(max(len(shape.sizes) for shape in known) + 1, len(most.sizes))
    return replace(most, sizes=most.sizes[:bands], **counts)
