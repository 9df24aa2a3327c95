"""A campaign in its folder: begun or gone on with, unit by unit."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import msgspec
from hypothesis.database import ExampleDatabase
from msgspec import Meta

from crew.interrupts import uninterrupted
from crew.words import Crew, Done, Failed
from fuzz.campaign.corpus import NoCorpus, corpus_at, put, taken
from fuzz.campaign.files import in_a_name, written
from fuzz.campaign.journal import Damaged, Journal
from fuzz.campaign.plan import Plan
from fuzz.campaign.record import NOTHING, Kept, Record
from fuzz.campaign.summary import Distinct, Summary
from fuzz.campaign.unit import is_first_of_setup, is_of_machine, kind_of, run_unit, setup_for, work_of
from fuzz.campaign.work import Unit

LONGEST_UNIT: Final = 3600.0
"""Seconds after which a unit hangs."""

PRELOADED: Final = ("fuzz.campaign.preloaded",)
"""What every local process has imported."""

EVERY: Final = 0.5
"""Seconds between two looks at the clock."""

OTHER_CODE: Final = "other code, or other releases were installed where another's allocator is driven"

UnitCrew = Crew[Unit, Record]


class Unfit(Exception):
    """A folder in which this campaign cannot be.

    Attributes:
        remedy: what to do about it, a clause.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the folder of a campaign says of it.

    Attributes:
        plan: never changes.
        corpus: the places of the corpus.
        minutes: that it is to take in all; none where that is no matter.
        units: that it is to have in all; none likewise.
    """

    plan: Plan
    corpus: Annotated[tuple[str, ...], Meta(min_length=1)]
    minutes: float | None
    units: int | None


@dataclass(frozen=True)
class Bounds:
    """When a campaign is over: no unit is begun after so many seconds of work, nor more than so many units."""

    seconds: float | None
    units: int | None


def head_of(folder: Path) -> Head | None:
    """The campaign of a folder; None if there is none.

    Raises:
        Unfit: the file that says it says something else.
    """
    try:
        return msgspec.json.decode((folder / "campaign.json").read_bytes(), type=Head)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise Unfit(f"has a campaign.json that cannot be read: {error}", "name another folder") from error


class Campaign:
    """Units that are over, and those that are next.

    Attributes:
        summary: what it came to so far.
        resumed: units that were over when it was opened.
        not_put: why something was not put into the corpus; none if all was.
    """

    def __init__(self, folder: Path, head: Head, corpus: ExampleDatabase) -> None:
        self.folder, self.head, self.corpus = folder, head, corpus
        self.plan = head.plan
        self.not_put: str | None = None
        self.bounds = Bounds(None if head.minutes is None else 60 * head.minutes, head.units)
        self._before = _snapshot(folder)
        self.summary = Summary(self.plan.lanes)
        self._journal = Journal(folder / "journal", self.plan.lanes)
        try:
            for record in self._journal.records():
                self._take(record)
        except Damaged as error:
            raise Unfit(f"has a journal that is damaged: {error}", "begin another campaign") from error
        self.resumed = sum(self.summary.units.values())

    @property
    def spent(self) -> float:
        """Seconds of work in each lane so far."""
        return self.summary.seconds / self.plan.lanes

    @property
    def is_over(self) -> bool:
        """No unit is left to be done."""
        return not any(self._is_next(lane, self.spent) for lane in range(self.plan.lanes))

    def work(self) -> Callable[[Unit], Record]:
        """Does a unit, wherever it is sent."""
        return partial(run_unit, self.plan)

    def run(self, crew: UnitCrew, told: Callable[["Campaign"], None] = lambda _: None) -> None:
        """Have units done until it is over; `told` now and then. An interrupt loses only what was being done."""
        begun, before = time.monotonic(), self.spent

        def give(lane: int) -> None:
            if self._is_next(lane, before + time.monotonic() - begun):
                crew.give(self._next(lane))

        for lane in range(self.plan.lanes):
            give(lane)
        while crew.busy:
            ended = crew.take(EVERY)
            if ended is not None:
                self._end(ended)
                give(ended.job.lane)
            told(self)

    def files(self) -> dict[str, Distinct]:
        """Of each distinct failure the name of its file, and what was found."""
        return {self._name(one): one for one in sorted(self.summary.found.values(), key=lambda one: one.finding.look)}

    def _is_next(self, lane: int, spent: float) -> bool:
        done, bounds = self.summary.lanes[lane].units, self.bounds
        if bounds.units is not None and done * self.plan.lanes + lane >= bounds.units:
            return False
        # a campaign that did nothing has shown nothing, however short it is to be
        return bounds.seconds is None or spent < bounds.seconds or not done

    def _next(self, lane: int) -> Unit:
        so_far = self.summary.lanes[lane]
        index, known = so_far.units, frozenset(so_far.known)
        if not is_of_machine(self.plan, index):
            return Unit(lane, index, known)
        setup = setup_for(self.plan, lane, index)
        before, added = self._before.get(setup, NOTHING), so_far.kept.get(setup, NOTHING)
        # what failed before the campaign is tried once by each lane
        failing = before.failing if is_first_of_setup(self.plan, index) else ()
        both = before + added
        return Unit(lane, index, known, Kept(failing, both.covering, both.seen))

    def _end(self, ended: Done[Unit, Record] | Failed[Unit]) -> None:
        if isinstance(ended, Done):
            record = ended.result
        else:
            unit = ended.job
            kind, setup = kind_of(self.plan, unit.index), setup_for(self.plan, unit.lane, unit.index)
            record = Record(unit.lane, unit.index, kind, setup, broken=ended.problem)
        with uninterrupted(), _on_files():
            self._journal.append(record)
            self._take(record)

    def _take(self, record: Record) -> None:
        self.summary.add(record)
        try:
            put(self.corpus, self.plan.target, {record.setup: record.kept})
        except NoCorpus as error:
            # it stands in the journal too, and whoever goes on with the campaign puts it there
            self.not_put = str(error)
        for met in record.met:
            if met.finding is not None:
                self._save(self.summary.found[met.finding.look])

    def _save(self, one: Distinct) -> None:
        folder = self.folder / "failures"
        folder.mkdir(exist_ok=True)
        written(folder / self._name(one), one.finding.file.encode())

    def _name(self, one: Distinct) -> str:
        digest = sha256(repr(one.finding.look).encode()).hexdigest()[:8]
        return f"{in_a_name(one.finding.look[0])}-{digest}.json"


@contextmanager
def opened(folder: Path, asked: Head) -> Iterator[Campaign]:
    """The campaign of a folder, begun if there is none; nobody else goes on with it meanwhile.

    Args:
        folder: is made if it is not there.
        asked: its plan must be that of the campaign that is there; its bounds take the place of those.

    Raises:
        Unfit: another campaign is there, or somebody is at work on it.
        NoCorpus: there is none at the places that were named.
    """
    with _on_files():
        folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        with _on_files():
            campaign = _opened(folder, asked)
        yield campaign


def _opened(folder: Path, asked: Head) -> Campaign:
    there = head_of(folder)
    if there is not None:
        _same(there.plan, asked.plan)
    corpus = corpus_at(asked.corpus)
    if there is None:
        _take_snapshot(folder, asked.plan, corpus)
    written(folder / "campaign.json", msgspec.json.format(msgspec.json.encode(asked), indent=2) + b"\n")
    return Campaign(folder, asked, corpus)


@contextmanager
def _on_files() -> Iterator[None]:
    """A disk that is full or is not to be written to is told as such; what is written down is whole at any moment."""
    try:
        yield
    except OSError as error:
        where = f" at {Path(error.filename).name}" if error.filename else ""
        problem = f"cannot be read or written{where}: {error.strerror or error}"
        raise Unfit(problem, "make room or mend it, and the same command goes on; or name another folder") from error


def _same(there: Plan, asked: Plan) -> None:
    for field in there.__struct_fields__:
        old, new = getattr(there, field), getattr(asked, field)
        if old != new and field == "code":
            raise Unfit(f"holds a campaign that was about {OTHER_CODE}", "begin another; the corpus is kept")
        if old != new:
            raise Unfit(
                f"holds a campaign with {field} {old}, not {new}", "go on with --resume alone, or begin another"
            )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with _on_files():
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise Unfit("holds a campaign at which somebody is at work", "wait for its end, or stop it") from error
    try:
        yield
    finally:
        os.close(lock)


def _take_snapshot(folder: Path, plan: Plan, corpus: ExampleDatabase) -> None:
    written(folder / "snapshot.json", msgspec.json.encode(taken(corpus, plan.target, work_of(plan.target).setups)))


def _snapshot(folder: Path) -> dict[str, Kept]:
    try:
        return msgspec.json.decode((folder / "snapshot.json").read_bytes(), type=dict[str, Kept])
    except (OSError, msgspec.DecodeError) as error:
        raise Unfit(f"has no snapshot of its corpus: {error}", "begin another campaign") from error
