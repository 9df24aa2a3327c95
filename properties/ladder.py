"""The ladder: a proof for any arena, else a counterexample in a small one, else a proof afresh at doubled limits.

What none of them decides is unknown, which is never trusted.
"""

import time
from collections.abc import Generator, Iterable, Iterator

from properties.answers import Answer, Verdict
from properties.judging import Counterexample, NotConfirmed, counterexample
from properties.limits import Limits
from properties.obligations import Obligation
from properties.prover import Proof, Prover
from properties.readings import reading
from properties.scenes import goal
from properties.search import GaveUp, Search, shapes
from properties.shapes import Shape
from properties.specification import Specification
from spec.logic import Not, Term


def answers(specification: Specification, asked: Iterable[Obligation], limits: Limits) -> Iterator[Answer]:
    """The answers to obligations of one stage, in their order."""
    prover: Prover | None = None
    searches: dict[Shape, Search] = {}
    for obligation in asked:
        began = time.perf_counter()
        prover = prover or Prover(specification, obligation.stage)
        verdict, found, reason = Verdict.PROVED, None, ""
        if prover.proof(obligation, limits) != Proof.FOUND:
            verdict, found, reason = _by_example(specification, obligation, limits, searches)
            if verdict == Verdict.UNKNOWN and prover.proof_afresh(obligation, limits.doubled()) == Proof.FOUND:
                verdict = Verdict.PROVED
        yield Answer(obligation, verdict, time.perf_counter() - began, found, reason)


def refutation(
    search: Search, obligation: Obligation, *, plainest: bool = False, tightest: bool = False
) -> Counterexample | None:
    """A counterexample of the searched shape, judged again outside the solver; None when there is none."""
    example = search.find(_broken(search, obligation), plainest=plainest, tightest=tightest)
    return None if example is None else counterexample(search.specification, obligation, example)


def refutations(search: Search, obligation: Obligation) -> Generator[Counterexample]:
    """Some counterexamples of the searched shape, each judged again outside the solver; none when there is none."""
    for example in search.examples(_broken(search, obligation)):
        yield counterexample(search.specification, obligation, example)


def _broken(search: Search, obligation: Obligation) -> Term:
    with reading(search.small):
        return Not(goal(search.specification, obligation, search.scene))


def _by_example(
    specification: Specification, obligation: Obligation, limits: Limits, searches: dict[Shape, Search]
) -> tuple[Verdict, Counterexample | None, str]:
    try:
        for shape in shapes(specification, obligation.stage):
            if shape not in searches:
                searches[shape] = Search(specification, obligation.stage, shape, limits)
            found = refutation(searches[shape], obligation, plainest=True)
            if found is not None:
                return Verdict.VIOLATED, found, ""
    except (GaveUp, NotConfirmed) as why:
        return Verdict.UNKNOWN, None, str(why)
    most = shapes(specification, obligation.stage)[-1]
    return (
        Verdict.UNKNOWN,
        None,
        (
            f"no proof within the limits, and no counterexample among arenas of {len(most.sizes)} bands with up to "
            f"{most.pages} pages, {most.tickets} tickets and {most.vids} ids each"
        ),
    )
