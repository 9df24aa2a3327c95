"""Help with what a run found violated: looked for in other processes, within a budget, and no part of a verdict."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby

from properties.answers import Answer
from properties.failing.budget import SECONDS, Budget
from properties.failing.repairs import Repair, repair
from properties.failing.routes import Route, route
from properties.failing.smallest import Smallest, smallest
from properties.judging import Counterexample
from properties.known import weakenings
from properties.obligations import Kind, Obligation
from properties.specification import Specification, written
from properties.workers import Broken, results

MOST = 3
"""Violated obligations of one stage that are helped with; what mends an action is one answer for all of them."""

STAGES = 3
"""Stages that are helped with."""


@dataclass(frozen=True)
class Help:
    """What is said of a violated obligation besides that it is."""

    obligation: Obligation
    smallest: Smallest | None = None
    route: Route | None = None
    repair: Repair | None = None
    apart: str = ""
    """Why there is nothing to say, or less."""

    @property
    def shown(self) -> Counterexample | None:
        """What is drawn: what comes about, if that is known, or else the smallest."""
        if self.route is not None and self.route.found is not None:
            return self.route.found
        return None if self.smallest is None else self.smallest.counterexample


@dataclass(frozen=True)
class Wanted:
    """What one process is asked for: help with counterexamples of one stage, of a specification known by name."""

    known: tuple[Counterexample, ...]
    weakening: str | None
    seconds: float


Found = Help | tuple[str, Repair]
"""Help with an obligation, or what mends the action of a stage."""

ADMISSION = "it is about numbers, and no state of an arena: there is no way to it, and no guard that could be mended"
CONTRACT = (
    "it is about a function of the arithmetic: there is no arena, no way to it, and no guard that could be mended"
)
NO_ACTION = "it is about no action: there is no guard that could be mended"


def helps(
    answers: Sequence[Answer],
    weakening: str | None,
    jobs: int,
    on_found: Callable[[Found], object] = lambda _: None,
) -> tuple[Help, ...]:
    """Help with what is violated; stopped by Ctrl-C, or by a process that breaks, what is known by then.

    It takes at most about `SECONDS` of processor time, however much is violated.
    """
    refuted = [answer.counterexample for answer in answers if answer.counterexample is not None]
    by_stage = [tuple(known) for _, known in groupby(refuted, key=lambda each: each.obligation.stage)][:STAGES]
    wanted = [Wanted(known, weakening, SECONDS / len(by_stage)) for known in by_stage]
    found = {
        answer.obligation: Help(answer.obligation, apart=ADMISSION if is_admission(answer) else CONTRACT)
        for answer in answers
        if answer.found
    }
    try:
        with closing(results(work, wanted, jobs)) as coming:
            for each in coming:
                on_found(each)
                if isinstance(each, Help):
                    found[each.obligation] = each
                else:
                    found |= {o: replace(h, repair=each[1]) for o, h in found.items() if o.stage == each[0]}
    except (KeyboardInterrupt, Broken):
        pass
    return tuple(found.values())


def is_admission(answer: Answer) -> bool:
    """It is about admission, not about the contracts of the arithmetic."""
    return answer.obligation.kind is Kind.ADMISSION


def work(wanted: Wanted) -> Iterator[Found]:
    """What is found in one process."""
    specification = written(wanted.known[0].obligation.stage)
    if wanted.weakening is not None:
        specification = weakenings()[wanted.weakening].change(specification)
    yield from found_for(specification, wanted.known, Budget(wanted.seconds))


def found_for(specification: Specification, known: Sequence[Counterexample], budget: Budget) -> Iterator[Found]:
    """Help with counterexamples of one stage, of any specification."""
    stage = known[0].obligation.stage
    least = []
    for each in known[:MOST]:
        help_ = help_with(specification, each, budget.part(0.5 / min(MOST, len(known))))
        yield help_
        least.append(each if help_.smallest is None else help_.smallest.counterexample)
    if stage in specification.actions:
        yield stage, repair(specification, (*least, *known[MOST:]), budget)


def help_with(specification: Specification, known: Counterexample, budget: Budget) -> Help:
    """The smallest counterexample and a way to one."""
    obligation = known.obligation
    apart = "" if obligation.stage in specification.actions else NO_ACTION
    least = smallest(specification, known, budget.part(0.5))
    if obligation.kind is Kind.LEMMA:
        return Help(
            obligation, least, None, None, f"{apart}, and no arena that could come about: it is about addresses"
        )
    if obligation.kind is Kind.INITIAL:
        return Help(obligation, least, Route((), least.counterexample, 1), None, apart)
    return Help(obligation, least, route(specification, least.counterexample, budget), None, apart)
