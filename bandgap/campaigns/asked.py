"""From what a person wrote to a campaign."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from bandgap.errors import UsageError
from bandgap.gate.targets import target_named
from bandgap.peers.asking import driven_named
from fuzz.campaign.campaign import Head, Unfit, head_of
from fuzz.campaign.plan import Plan, code_now
from fuzz.coverage import Coverage
from fuzz.faults.all import FAULTS
from fuzz.floors import unexercised
from fuzz.peers.environments import is_peer
from fuzz.peers.process import PeerFailed, running

MINUTES: Final = 1.0
"""Where neither minutes nor units are given."""

CORPUS: Final = ".bandgap/corpus"

CAMPAIGNS: Final = Path(".bandgap/campaigns")
"""Where folders of campaigns are made that have no other."""


@dataclass(frozen=True)
class Asked:
    """What was asked for, as far as it is the campaign's.

    Attributes:
        target: by name.
        seed: of all choices.
        workers: lanes.
        unit_calls: of one unit.
        fault: in force, by name.
        corpus: places.
        minutes: in all.
        units: in all.
    """

    target: str = "bandgap"
    seed: int = 1
    workers: int = 1
    unit_calls: int = 10_000
    fault: str | None = None
    corpus: Sequence[str] = ()
    minutes: float | None = None
    units: int | None = None

    def must_be_left_out(self, usual: "Asked") -> None:
        """What says what a campaign is must not be said of one that is there.

        Args:
            usual: what is asked for where all of it is left out.

        Raises:
            UsageError: it is.
        """
        for field in ("target", "seed", "workers", "unit_calls", "fault", "corpus"):
            value = getattr(self, field)
            if value != getattr(usual, field):
                option = f"--{field.replace('_', '-')}"
                raise UsageError(option, value, "is what the campaign to go on with says", "leave it out")

    def head(self) -> Head:
        """The campaign of this.

        Raises:
            UsageError: there is no such target or fault.
        """
        if not is_peer(self.target):
            target_named(self.target)
            if self.fault is not None and self.fault not in FAULTS:
                raise UsageError("--fault", self.fault, "is no seeded fault", "`bandgap faults` names them")
        plan = Plan(self.target, self.seed, self.workers, self.unit_calls, self.fault, code_now(self.target))
        minutes = MINUTES if self.minutes is None and self.units is None else self.minutes
        return Head(plan, tuple(self.corpus) or (CORPUS,), minutes, self.units)


def new_folder(target: str) -> Path:
    """A folder that no campaign has had."""
    name = Path(target).stem if target.endswith(".py") else target
    return CAMPAIGNS / f"{name}-{datetime.now():%Y%m%d-%H%M%S-%f}"


def again(folder: Path, minutes: float | None, units: int | None) -> Head:
    """The campaign of a folder, with other bounds if any are given.

    Raises:
        UsageError: there is none, or it is about other code.
    """
    try:
        head = head_of(folder)
    except Unfit as error:
        raise UsageError("--resume", str(folder), str(error), error.remedy) from error
    if head is None:
        raise UsageError("--resume", str(folder), "has no campaign", "name a folder that an --out or a report named")
    if code_now(head.plan.target) != head.plan.code:
        raise UsageError("--resume", str(folder), "is about other code", "begin another campaign; the corpus is kept")
    if minutes is None and units is None:
        return head
    return Head(head.plan, head.corpus, minutes, units)


Expected = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Floor:
    """What a campaign must have exercised.

    Attributes:
        outcomes: of a peer's calls; none for a target of ours, of which more is asked.
    """

    outcomes: Expected | None

    def missing(self, coverage: Coverage, calls: int) -> tuple[str, ...]:
        """What was not exercised, or too seldom for so many calls."""
        if self.outcomes is None:
            return unexercised(coverage, calls)
        return tuple(f"{call}: {how}" for call, how in sorted(self.outcomes) if not coverage.outcomes[call, how])


def floor_of(head: Head) -> Floor:
    """What must be exercised; a peer is asked, and so is known to answer.

    Raises:
        UsageError: the peer does not answer, or has no such fault.
    """
    target, fault = head.plan.target, head.plan.fault
    if not is_peer(target):
        return Floor(None)
    try:
        with running(driven_named(target)) as process:
            description = process.description
    except PeerFailed as error:
        raise UsageError("--target", target, f"gave no answer: {error}", "nothing was learned about it") from error
    if fault is not None and fault not in description.faults:
        raise UsageError("--fault", fault, "is none of the target's", f"it has {', '.join(description.faults)}")
    return Floor(frozenset((call, how) for call, how in description.expects))
