"""Small campaigns, their journals, and work that takes its process with it."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from crew.words import Done, Failed
from fuzz.campaign.campaign import Campaign, Head, opened
from fuzz.campaign.journal import record_of
from fuzz.campaign.plan import Plan, code_now
from fuzz.campaign.record import Record
from fuzz.campaign.unit import run_unit
from fuzz.campaign.work import Unit

FAULT: Final = "free-ignores-holders"
UNITS: Final = 8
UNIT_CALLS: Final = 2_400


def plan(**changes: Any) -> Plan:
    """Two lanes under a fault that both find."""
    return msgspec.structs.replace(Plan("bandgap", 5, 2, UNIT_CALLS, FAULT, code_now("bandgap")), **changes)


def head(corpus: Path, units: int | None = UNITS, minutes: float | None = None, **changes: Any) -> Head:
    return Head(plan(**changes), (str(corpus),), minutes, units)


class Here:
    """A crew that does each job in this process, when it is asked for."""

    size = 2

    def __init__(self, work: Callable[[Unit], Record]) -> None:
        self._work = work
        self._given: list[Unit] = []

    @property
    def busy(self) -> int:
        return len(self._given)

    def give(self, job: Unit) -> None:
        self._given.append(job)

    def take(self, seconds: float | None = None) -> Done[Unit, Record] | Failed[Unit]:
        job = self._given.pop(0)
        try:
            return Done(job, self._work(job))
        except Exception as error:
            return Failed(job, repr(error))


def worked_off(folder: Path, asked: Head) -> Campaign:
    """A campaign, gone on with until it is over."""
    with opened(folder, asked) as campaign:
        campaign.run(Here(campaign.work()))
    return campaign


def journal(folder: Path) -> dict[str, list[Record]]:
    """What each lane has written down, without how long it took."""
    return {
        path.name: [
            msgspec.structs.replace(record_of(line), seconds=0.0)
            for line in path.read_bytes().splitlines(keepends=True)
        ]
        for path in sorted((folder / "journal").iterdir())
    }


def failures(folder: Path) -> dict[str, bytes]:
    """The files of the failures of a campaign."""
    return {path.name: path.read_bytes() for path in sorted((folder / "failures").iterdir())}


def killed_once(marks: Path, of: Plan, unit: Unit) -> Record:
    """The process that first does unit 1 of lane 1 is killed when it has done it."""
    record = run_unit(of, unit)
    mark = marks / f"{unit.lane}-{unit.index}"
    with mark.open("a") as opened:
        opened.write("done\n")
    if (unit.lane, unit.index) == (1, 1) and mark.read_text() == "done\n":
        os.kill(os.getpid(), signal.SIGKILL)
    return record
