"""The answer of a peer's gate as a gate's result with one lane, so that it has the same reports."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bandgap.gate.evidence import Count, Evidence
from bandgap.gate.lane import GateResult, LaneResult
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done, Progress, Task
from bandgap.gate.verdict import Answer, Reason, reasons_of_task
from bandgap.gate.violation import Violation
from bandgap.peers.explaining import says
from bandgap.peers.gate import Found, PeerResult
from bandgap.peers.telling import again

LANE = "driver"


@dataclass(frozen=True)
class PeerLane(LaneResult):
    """The lane of a peer, whose verdict is that of its gate: a driver need not have deliberate faults."""

    verdict: tuple[Reason, ...] = ()

    @property
    def own_reasons(self) -> tuple[Reason, ...]:
        """See `LaneResult`; those that are about no finding and not the canary's."""
        told = {reason.text for done in self.done for reason in reasons_of_task(done.evidence)}
        others = (reason for reason in self.verdict if reason.answer is not Answer.VIOLATED)
        return tuple(reason for reason in others if reason.text not in told)


def as_gate(result: PeerResult, out: Path, seconds: float) -> GateResult:
    """The same as a gate's result.

    Args:
        result: of the peer's gate.
        out: where reports are written.
        seconds: that it took.
    """
    about, hunt = result.description, result.hunt
    counts = (
        Count("judged calls", hunt.calls, 0),
        Count("page actions", sum(hunt.actions.values()), 0),
        Count("allocators built and driven", hunt.lives, 0),
    )
    outcomes = {f"{call}: {how}": times for (call, how), times in hunt.outcomes.items()}
    evidence = Evidence(
        counts,
        tuple(sorted(outcomes.items())),
        tuple(_violation(result, found) for found in result.found if found.excused is None),
        notes=tuple(_notes(result)),
    )
    canary = result.canary
    # one that was looked for when the run was interrupted may have been caught later
    is_known = canary is not None and not (result.stopped and canary.caught_by != canary.expects)
    tried = (canary,) if canary and is_known else ()
    lane = PeerLane(
        LANE,
        f"{about.title} {about.version} keeps what its driver promises, in every call of every life that was driven.",
        (Done(_task("canary"), Evidence(canaries=tried), 0.0), Done(_task("hunt"), evidence, hunt.seconds)),
        {f"{call}: {how}": 1 for call, how in about.expects},
        result.reasons,
    )
    settings = Settings(result.target, seed=result.seed, out=out)
    return GateResult(settings, (lane,), seconds, result.stopped)


def _violation(result: PeerResult, found: Found) -> Violation:
    finding = found.finding
    command = again(found.file, result.target, result.checkout, result.python)
    about = result.description
    plain = Violation(
        finding.property,
        says(finding.property, about),
        f"{about.title} {about.version}, {finding.setup}",
        finding.problem,
        facts=("it did not show again when the same calls were made once more",),
        calls=len(finding.script),
        code="\n".join(map(repr, finding.script)),
        call=finding.last_call(),
        target=result.target,
    )
    return replace(found.evidence or plain, file=str(found.file), command=command)


def _notes(result: PeerResult) -> Iterator[str]:
    yield f"driven from {result.description.source}"
    for found in result.found:
        known = found.excused
        if known is not None:
            said = f"{found.finding.property} breaks on {found.finding.setup}: {found.finding.problem}"
            yield f"known to {known.owner} until {known.expires}: {said} ({known.reason})"
    for name, why in result.description.leaves_out.items():
        yield f"left out: {name}: {why}"


def _task(name: str) -> Task:
    return Task(LANE, name, _never, 0.0)


def _never(_: Settings, __: Progress) -> Evidence:
    raise AssertionError("what was done already is not done again")
