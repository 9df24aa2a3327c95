"""From what a person wrote to a campaign."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from bandgap.errors import UsageError
from bandgap.gate.targets import target_named
from bandgap.peers.asking import driven_named
from fuzz.campaign.campaign import OTHER_CODE, Head, Unfit, head_of
from fuzz.campaign.engines import ENGINES
from fuzz.campaign.plan import Plan, code_now
from fuzz.campaign.unit import work_of
from fuzz.peers.environments import NoEnvironment, is_peer

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
        checkout: of a peer's sources, driven instead of its release.
        python: in which another's allocator is driven.
    """

    target: str = "bandgap"
    seed: int = 1
    workers: int = 1
    unit_calls: int = 10_000
    fault: str | None = None
    corpus: Sequence[str] = ()
    minutes: float | None = None
    units: int | None = None
    checkout: Path | None = None
    python: Path | None = None

    def must_be_left_out(self, usual: "Asked") -> None:
        """What says what a campaign is must not be said of one that is there.

        Args:
            usual: what is asked for where all of it is left out.

        Raises:
            UsageError: it is.
        """
        for field in ("target", "seed", "workers", "unit_calls", "fault", "corpus", "checkout", "python"):
            value = getattr(self, field)
            if value != getattr(usual, field):
                option = _OPTIONS.get(field, f"--{field.replace('_', '-')}")
                shown = str(value) if isinstance(value, Path) else value
                raise UsageError(option, shown, "is what the campaign to go on with says", "leave it out")

    def head(self) -> Head:
        """The campaign of this.

        Raises:
            UsageError: there is no such target, fault, checkout or interpreter.
        """
        for option, text in (("--target", self.target), *(("--corpus", place) for place in self.corpus)):
            if not _is_text(text):
                raise UsageError(option, text, "is no text that could be written down", "give it a name in UTF-8")
        checkout = python = None
        if is_peer(self.target):
            driven = driven_named(self.target, self.checkout, self.python)
            # whoever goes on with it may be in another folder
            checkout = None if self.checkout is None else str(self.checkout.absolute())
            python = None if self.python is None else str(driven.python)
        else:
            if self.target != ENGINES:
                target_named(self.target)
            known = work_of(self.target).faults
            if self.fault is not None and self.fault not in known:
                remedy = f"it has {', '.join(known)}" if self.target == ENGINES else "`bandgap faults` names them"
                raise UsageError("--fault", self.fault, f"is no seeded fault of {self.target}", remedy)
            for option, value in (("--path", self.checkout), ("--python", self.python)):
                if value is not None:
                    problem, remedy = "is for allocators of others", "name one with --target, or leave it out"
                    raise UsageError(option, str(value), problem, remedy)
        try:
            code = code_now(self.target, checkout, python)
        except NoEnvironment as error:
            raise UsageError(error.option, error.value, str(error), error.remedy) from error
        plan = Plan(self.target, self.seed, self.workers, self.unit_calls, self.fault, code, checkout, python)
        minutes = MINUTES if self.minutes is None and self.units is None else self.minutes
        return Head(plan, tuple(self.corpus) or (CORPUS,), minutes, self.units)


_OPTIONS: Final = {"checkout": "--path"}
"""Of fields that are not called as they are."""


def _is_text(name: str) -> bool:
    """A name that a campaign can be told by; names of files may be any bytes."""
    return name.encode(errors="replace").decode() == name


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
    try:
        code = code_now(head.plan.target, head.plan.checkout, head.plan.python)
    except (OSError, NoEnvironment) as error:
        problem = f"is about {head.plan.checkout or head.plan.target}, which cannot be read: {error}"
        raise UsageError("--resume", str(folder), problem, "put it back, or begin another campaign") from error
    if code != head.plan.code:
        raise UsageError("--resume", str(folder), f"is about {OTHER_CODE}", "begin another; the corpus is kept")
    if minutes is None and units is None:
        return head
    return Head(head.plan, head.corpus, minutes, units)
