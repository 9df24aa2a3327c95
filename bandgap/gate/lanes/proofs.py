"""The proofs: every obligation, and that none of them is proved of nothing or with nothing at stake."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from bandgap.gate.evidence import Canary, Count, Evidence
from bandgap.gate.lane import Lane
from bandgap.gate.prose import prose_of
from bandgap.gate.settings import Settings
from bandgap.gate.task import Progress, Task
from bandgap.gate.violation import Violation
from bandgap.pictures.examples import before_and_after
from bandgap.pictures.wording import changes, event, facts
from bandgap.proofs.help import helps_for, said, shown
from properties.answers import Answer, Verdict
from properties.failing.helping import Help
from properties.judging import Counterexample
from properties.limits import USUAL, Limits
from properties.obligations import Obligation
from properties.report import Report
from properties.runs import run
from properties.selection import broken, everything
from properties.specification import property_named
from properties.tasks import Result
from properties.trials import Trial

LEAST_OBLIGATIONS = 1530
"""Fewer mean that properties or actions have vanished from the catalogue."""

CANARY = "allocate.the-page-is-not-withheld"
"""The guard sentence that the canary leaves out."""
CANARY_BREAKS = "ledger-gated-reuse"


def prove(settings: Settings, progress: Progress) -> Evidence:
    """Show everything, then see that a guard without one of its sentences is refuted."""
    whole = everything()
    expected = len(whole.obligations) + len(whole.trials)
    known: list[Result] = []

    def tell(result: Result) -> None:
        known.append(result)
        done = sum(not hasattr(each, "example") for each in known)
        progress(done / expected, Evidence(_counts_so_far(known)))

    report = run(limits=_limits(settings), jobs=settings.workers, on_result=tell)
    canary = run(broken(CANARY, ()), weakening=CANARY, limits=_limits(settings), jobs=settings.workers)
    return Evidence(
        _counts(report),
        violations=tuple(violations(report, helps_for(report, settings.workers, None))),
        canaries=(_canary(canary),),
        unknown=tuple(_unknown(report)),
    )


def tasks(_settings: Settings) -> Sequence[Task]:
    """One, which has its own processes."""
    return (Task("proofs", "obligations, vacuity, necessity", prove, seconds=900, all_cores=True),)


PROOFS = Lane(
    "proofs",
    "Every action keeps every property in arenas of any size, and admission decides as it is defined for any number of "
    "bands; every case can occur, and no guard sentence is idle.",
    tasks,
)


def _limits(settings: Settings) -> Limits:
    limits = USUAL
    for _ in range(settings.patience.bit_length() - 1):
        limits = limits.doubled()
    return limits


def _counts(report: Report) -> tuple[Count, ...]:
    whole = everything()
    seen = len(report.witnesses) - len(report.unseen)
    return (
        Count("obligations proved", report.count(Verdict.PROVED), max(LEAST_OBLIGATIONS, len(whole.obligations))),
        Count("stages and cases seen to occur", seen, len(whole.looks)),
        Count("weakenings refuted", len(report.trials) - len(report.failed_trials), len(whole.trials)),
    )


def _counts_so_far(known: Sequence[Result]) -> tuple[Count, ...]:
    answers = [each for each in known if isinstance(each, Answer)]
    proved = sum(answer.verdict is Verdict.PROVED for answer in answers)
    refuted = sum(isinstance(each, Trial) and not each.wrong for each in known)
    return Count("obligations proved", proved, 0), Count("weakenings refuted", refuted, 0)


def _canary(report: Report) -> Canary:
    refuted = [answer.obligation.property for answer in report.answers if answer.verdict is Verdict.VIOLATED]
    caught = CANARY_BREAKS if CANARY_BREAKS in refuted else next(iter(refuted), None)
    return Canary(f"the specification without the sentence {CANARY}", CANARY_BREAKS, caught)


def violations(report: Report, helps: Mapping[Obligation, Help] = MappingProxyType({})) -> Iterator[Violation]:
    """What is violated; also weakenings that are not caught, and what cannot happen although it must."""
    for answer in report.answers:
        if answer.verdict is Verdict.VIOLATED:
            help_ = helps.get(answer.obligation)
            found = shown(answer, help_)
            violation = _of_small_case(answer) if found is None else _violation(found)
            yield replace(violation, help=() if help_ is None else tuple(said(help_)))
    for witness in report.unseen:
        if not witness.reason:
            yield _of_the_whole("vacuity", "Whatever is proved of, can happen.", f"{witness.name} cannot happen")
    necessity = (
        "Without any one guard sentence the property that it protects fails, and each seeded fault breaks its own."
    )
    for trial in report.failed_trials:
        if not trial.undecided:
            yield _of_the_whole("necessity", necessity, f"{trial.name}: {trial.wrong}")
    for name in report.idle:
        yield _of_the_whole("necessity", necessity, f"no weakening breaks {name}: nothing shows that it can fail")


def _violation(found: Counterexample) -> Violation:
    obligation = found.obligation
    before, after = before_and_after(found.example, found.culprits)
    happened = event(found.example)
    return Violation(
        check=obligation.property,
        prose=property_named(obligation.property).prose,
        where=f"the proof of {obligation.name}, in a small arena that was judged again outside the solver",
        problem=f"after {happened} it does not hold"
        if obligation.action
        else f"it does not hold at {obligation.stage}",
        facts=(*[f"before: {fact}" for fact in facts(found.example.before)], *changes(found.example)),
        before=before,
        after=after,
        command=f"bandgap prove '{obligation.name}'",
    )


def _of_small_case(answer: Answer) -> Violation:
    """What is violated in a small case that is no arena."""
    name = answer.obligation.name
    return Violation(
        check=answer.obligation.property,
        prose=prose_of(answer.obligation.property),
        where=f"the proof of {name}, in a small case that was judged again outside the solver",
        problem="it does not follow",
        facts=(answer.found,),
        command=f"bandgap prove '{name}'",
    )


def _of_the_whole(check: str, prose: str, problem: str) -> Violation:
    return Violation(check, prose, "the proofs", problem, command=f"bandgap prove {check}")


def _unknown(report: Report) -> Iterator[str]:
    for answer in report.answers:
        if answer.verdict is Verdict.UNKNOWN:
            yield f"{answer.obligation.name}: {answer.reason}"
    yield from (f"{witness.name}: {witness.reason}" for witness in report.unseen if witness.reason)
    yield from (f"{trial.name}: {trial.wrong}" for trial in report.failed_trials if trial.undecided)
