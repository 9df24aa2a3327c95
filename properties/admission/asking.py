"""Asking: an answer to every obligation, an example of everything that is given, a counterexample to every fault.

A proof is for anything; an example is small. What a solver found is judged again in plain values, by the same lines.
"""

import functools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import z3

from properties.admission.chains import Numbers
from properties.admission.faults import FAULTS
from properties.admission.questions import Question
from properties.admission.readings import ANYTHING, Found, Wanted, judged, searched
from properties.admission.small import Small
from properties.admission.subject import AS_IT_IS, Subject
from properties.admission.theorem import Theorem
from properties.admission.theorems import THEOREMS
from properties.answers import Answer, Verdict
from properties.judging import NotConfirmed
from properties.limits import Limits
from properties.obligations import Kind, Obligation
from properties.readings import reading
from properties.search import GaveUp
from properties.trials import DOUBT, Trial
from properties.unbounded import as_term
from properties.witnesses import Sighting
from spec.logic import Not, Term

PREFIX = "admission/"
"""What the names of all stages, faults and witnesses here begin with."""


@dataclass(frozen=True)
class Seeded:
    """A seeded fault as reports know it."""

    name: str
    says: str
    property: str
    precedent: str


SEEDED: Mapping[str, Seeded] = {
    PREFIX + name: Seeded(PREFIX + name, fault.says, THEOREMS[fault.theorem].property, fault.precedent)
    for name, fault in FAULTS.items()
}
"""Every seeded fault, by the name under which it is tried."""

STAGES = tuple(PREFIX + name for name in THEOREMS)
"""A stage for each theorem."""


@functools.cache
def obligations() -> tuple[Obligation, ...]:
    """All of them, in the order in which they are shown."""
    return tuple(obligation for name in THEOREMS for obligation in _of_theorem(name))


def touched(fault: str) -> tuple[Obligation, ...]:
    """The obligations of the theorem that a fault must refute."""
    return _of_theorem(FAULTS[fault.removeprefix(PREFIX)].theorem)


def is_asked(name: str) -> bool:
    """Whether a stage or a fault is one of admission."""
    return name.startswith(PREFIX)


def theorem_of(stage: str) -> str:
    """The stage of the theorem to which the stage of one of its parts belongs."""
    # Names of theorems and of their parts may have dots in them.
    return next((name for name in STAGES if stage.startswith(f"{name}.")), stage)


def answers(asked: Sequence[Obligation], fault: str | None, limits: Limits) -> Iterator[Answer]:
    """The answers to obligations of one theorem, as all is or with a seeded fault."""
    name = theorem_of(asked[0].stage).removeprefix(PREFIX)
    theorem = THEOREMS[name]
    subject = AS_IT_IS if fault is None else FAULTS[fault.removeprefix(PREFIX)].subject
    with reading(ANYTHING):
        questions = {_stage(name, question): question for question in theorem.questions(subject)}
    for obligation in asked:
        question = questions[obligation.stage]
        began = time.perf_counter()
        verdict, reason, found = Verdict.PROVED, "", ""
        if _attempt(question.denied, limits) != z3.unsat:
            verdict, reason, found = _refuted(theorem, subject, limits)
            if verdict == Verdict.UNKNOWN and _attempt(question.denied, limits.doubled(), seed=1) == z3.unsat:
                verdict, reason = Verdict.PROVED, ""
        yield Answer(obligation, verdict, time.perf_counter() - began, None, reason, found)


def sightings(stage: str, limits: Limits) -> Iterator[Sighting]:
    """Whether what a theorem is given can be, and each of its cases: that is seen in a small case.

    What each of its questions is given besides, for an induction or of anything, is asked about by `hypotheses`.
    """
    theorem = THEOREMS[stage.removeprefix(PREFIX)]
    yield from _seen(stage, theorem, limits) if theorem.few is None else _seen_among_few(stage, theorem)


def _seen(stage: str, theorem: Theorem, limits: Limits) -> Iterator[Sighting]:
    search = _Search(theorem, AS_IT_IS, limits)
    for case, formula in {"": True, **search.question.cases}.items():
        called = _case(stage, case)
        try:
            found = search.found(formula)
            if found is not None and not _occurs(theorem, found, case):
                raise NotConfirmed(f"{found}: it is no example after all")
            yield Sighting(called, stage, found)
        except (GaveUp, NotConfirmed) as why:
            yield Sighting(called, stage, None, str(why))


def _seen_among_few(stage: str, theorem: Theorem) -> Iterator[Sighting]:
    found: dict[str, Small | None] = {}
    with reading(judged(theorem.shape)):
        for small, question in _few(theorem, AS_IT_IS):
            found = {"": None, **dict.fromkeys(question.cases)} | found
            for case, occurs in {"": True, **question.cases}.items():
                if occurs is True and found[case] is None and _all_hold(question.given):
                    found[case] = small
            if all(found.values()):
                break
    for case, example in (found or {"": None}).items():
        yield Sighting(_case(stage, case), stage, example)


def _case(stage: str, case: str) -> str:
    return f"{stage}{case and ', '}{case}"


def _few(theorem: Theorem, subject: Subject) -> Iterator[tuple[Small, Question]]:
    return iter(()) if theorem.few is None else theorem.few(subject)


def trial(name: str, limits: Limits) -> Trial:
    """Make a fault and see that the theorem that it names is refuted, and not proved."""
    began = time.perf_counter()
    fault = FAULTS[name.removeprefix(PREFIX)]
    theorem = THEOREMS[fault.theorem]
    wrong, undecided, found = "", False, None
    try:
        found = counterexample(theorem, fault.subject, limits)
        if found is None:
            wrong = f"{theorem.property} is not refuted by {fault.theorem}"
        elif _is_proved(theorem, fault.subject, limits.divided(DOUBT)):
            wrong = f"{fault.theorem} is refuted by an example, and yet it is proved"
    except (GaveUp, NotConfirmed) as why:
        wrong, undecided = str(why), isinstance(why, GaveUp)
    return Trial(
        name,
        fault.says,
        theorem.property,
        fault.precedent,
        () if found is None else (theorem.property,),
        None,
        time.perf_counter() - began,
        wrong,
        undecided,
        "" if found is None else str(found),
    )


@functools.cache
def _of_theorem(name: str) -> tuple[Obligation, ...]:
    theorem = THEOREMS[name]
    with reading(ANYTHING):
        stages = [_stage(name, question) for question in theorem.questions(AS_IT_IS)]
    return tuple(Obligation(Kind.ADMISSION, stage, theorem.property) for stage in stages)


def _stage(theorem: str, question: Question) -> str:
    return f"{PREFIX}{theorem}.{question.name}"


def _is_proved(theorem: Theorem, subject: Subject, limits: Limits) -> bool:
    with reading(ANYTHING):
        proved = all(_attempt(question.denied, limits) == z3.unsat for question in theorem.questions(subject))
    return proved and all(_is_proved(THEOREMS[name], subject, limits) for name in theorem.leans_on)


def _refuted(theorem: Theorem, subject: Subject, limits: Limits) -> tuple[Verdict, str, str]:
    try:
        found = counterexample(theorem, subject, limits)
    except (GaveUp, NotConfirmed) as why:
        return Verdict.UNKNOWN, str(why), ""
    if found is None:
        return Verdict.UNKNOWN, "no proof within the limits, and no counterexample among small cases", ""
    return Verdict.VIOLATED, "", str(found)


def counterexample(theorem: Theorem, subject: Subject, limits: Limits) -> Small | None:
    """A small case of which a theorem is false, judged again in plain values.

    Raises:
        GaveUp: a limit was reached.
        NotConfirmed: in plain values it is not false.
    """
    if theorem.few is not None:
        with reading(judged(theorem.shape)):
            return next((small for small, said in _few(theorem, subject) if said.goal is not True), None)
    search = _Search(theorem, subject, limits)
    found = search.found(Not(search.question.goal))
    if found is None:
        return None
    with reading(judged(theorem.shape)):
        plain = _small(theorem, subject, Found(found.numbers))
    if not _all_hold(plain.given) or plain.goal is not False:
        raise NotConfirmed(f"{found}: it is no counterexample after all")
    return found


def refutes(theorem: Theorem, subject: Subject, numbers: Mapping[str, int]) -> bool:
    """Whether a theorem is false of the small case of these numbers, in plain values; what is left out is 0."""
    with reading(judged(theorem.shape)):
        try:
            plain = _small(theorem, subject, Found(numbers))
        except ValueError:
            return False
        return _all_hold(plain.given) and plain.goal is False


def _occurs(theorem: Theorem, found: Small, case: str) -> bool:
    with reading(judged(theorem.shape)):
        plain = _small(theorem, AS_IT_IS, Found(found.numbers))
    return _all_hold(plain.given) and (not case or plain.cases[case] is True)


def _small(theorem: Theorem, subject: Subject, numbers: Numbers) -> Question:
    if theorem.small is None:
        raise ValueError(f"nothing small is asked of: {theorem.prose}")
    return theorem.small(subject, numbers)


def _all_hold(given: tuple[Term, ...]) -> bool:
    return all(each is True for each in given)


class _Search:
    """A search among small cases of which all that a theorem is given holds."""

    def __init__(self, theorem: Theorem, subject: Subject, limits: Limits) -> None:
        self.wanted, self.solver = Wanted(), z3.Solver()
        with reading(searched(theorem.shape)):
            self.question = _small(theorem, subject, self.wanted)
        self.solver.set("timeout", limits.milliseconds)
        self.solver.add(*self.wanted.within, *map(as_term, self.question.given))

    def found(self, formula: Term) -> Small | None:
        """A case in which a formula holds besides."""
        answer = self.solver.check(as_term(formula))
        if answer == z3.unknown:
            raise GaveUp(f"the search gave up: {self.solver.reason_unknown()}")
        return Small(self.wanted.found(self.solver.model())) if answer == z3.sat else None


def _attempt(denied: list[z3.BoolRef], limits: Limits, seed: int = 0) -> z3.CheckSatResult:
    solver = z3.Solver()
    solver.set("rlimit", limits.effort)
    solver.set("timeout", limits.milliseconds)
    solver.set("random_seed", seed)
    # what is given names the terms that call it to mind: no other instances are looked for
    solver.set("mbqi", False)
    solver.add(*denied)
    return solver.check()
