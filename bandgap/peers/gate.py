"""From a driver and some minutes to an answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bandgap.gate.evidence import Canary
from bandgap.gate.verdict import Answer, Reason, answer_of
from bandgap.gate.violation import Violation
from bandgap.peers.explaining import Driven, again, explained
from bandgap.peers.known import Known, excuse, plain
from fuzz.peers.hunting import Finding, Hunt, catch, hunt
from fuzz.peers.lives import Lived
from fuzz.peers.process import Description, PeerProcess
from fuzz.peers.reproduction import saved

CANARY_SECONDS: Final = 60.0
"""Seconds after which the deliberate fault counts as not caught."""


@dataclass(frozen=True)
class Found:
    """A finding, where it is saved, who has excused it, and how it came to that.

    Attributes:
        finding: with fewest calls.
        file: where it is saved.
        excused: by whom.
        life: in which it shows; none where it did not show again.
        evidence: how it came to that, as far as the trace of that life shows it.
    """

    finding: Finding
    file: Path
    excused: Known | None = None
    life: Lived | None = None
    evidence: Violation | None = None


@dataclass(frozen=True)
class PeerResult:
    """What the gate came to.

    Attributes:
        target: as it was asked for.
        description: what was driven.
        seed: of all choices.
        hunt: what was done.
        found: what broke.
        canary: none where the driver has no deliberate faults.
        stopped: it was interrupted.
        checkout: that was driven instead of a release.
        python: in which it was driven, if it was named.
    """

    target: str
    description: Description
    seed: int
    hunt: Hunt
    found: tuple[Found, ...]
    canary: Canary | None
    stopped: bool = False
    checkout: Path | None = None
    python: Path | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """What the driver expects of a run and was not exercised."""
        done = self.hunt.outcomes
        return tuple(f"{call}: {how}" for call, how in self.description.expects if not done[call, how])

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why this is no pass; empty if it is one."""
        return tuple(reasons_of(self))

    @property
    def answer(self) -> Answer:
        """The verdict."""
        return answer_of(self.reasons)


def judge_peer(
    process: PeerProcess,
    name: str,
    *,
    seconds: float,
    seed: int,
    folder: Path,
    known: Sequence[Known] = (),
    checkout: Path | None = None,
    python: Path | None = None,
    told: Callable[[Hunt], None] = lambda _: None,
) -> PeerResult:
    """Show that a deliberate fault is caught, then hunt in what is really there.

    An interrupt ends it, and the result says so.

    Args:
        process: of the driver.
        name: of the target, as it was asked for; a path is left out of what is saved.
        seconds: to hunt for; making failures short comes on top.
        seed: of all choices.
        folder: where failures are saved.
        known: what is excused.
        checkout: that is driven instead of a release.
        python: in which it is driven, if it was named.
        told: after each life.
    """
    description = process.description
    latest, stopped = Hunt(), False

    def keep(so_far: Hunt) -> None:
        nonlocal latest
        latest = so_far
        told(so_far)

    canary = None
    try:
        canary = _canary(process, seed)
        latest = hunt(process, description.setups, seed, seconds=seconds, told=keep)
    except KeyboardInterrupt:
        stopped = True
    found = tuple(
        _found(process, finding, Driven(name, checkout, python), folder, known) for finding in latest.findings.values()
    )
    return PeerResult(name, description, seed, latest, found, canary, stopped, checkout, python)


def _found(process: PeerProcess, finding: Finding, driven: Driven, folder: Path, known: Sequence[Known]) -> Found:
    named, description = plain(driven.target), process.description
    file = saved(finding, named, description.version, folder)
    excused = excuse(finding.property, finding.last_call(), named, description.version, known)
    life = again(process, finding)
    evidence = None if life is None else explained(life, finding, description, driven)
    return Found(finding, file, excused, life, evidence)


def _canary(process: PeerProcess, seed: int) -> Canary | None:
    for name, fault in process.description.faults.items():
        caught = catch(process, name, seed, seconds=CANARY_SECONDS)
        return Canary(name, fault.property, caught.property if caught else None)
    return None


def reasons_of(result: PeerResult) -> list[Reason]:
    """Everything that keeps a result from being a pass."""
    reasons = []
    for found in result.found:
        if found.excused is None:
            text = f"{found.finding.property} is violated: {found.finding.problem}"
            reasons.append(Reason(Answer.VIOLATED, text))
    canary = result.canary
    if canary is not None and canary.caught_by != canary.expects and not result.stopped:
        by = "was not caught" if canary.caught_by is None else f"was caught by {canary.caught_by}"
        text = f"the canary {by}: {canary.fault} must break {canary.expects}"
        reasons.append(Reason(Answer.BROKEN, text))
    if result.stopped:
        reasons.append(Reason(Answer.INCONCLUSIVE, "interrupted before there was an answer"))
    if not result.hunt.calls or not result.hunt.actions:
        reasons.append(Reason(Answer.INCONCLUSIVE, "nothing was judged"))
    elif result.missing:
        reasons.append(Reason(Answer.INCONCLUSIVE, f"too little was exercised: {', '.join(result.missing)}"))
    return reasons
