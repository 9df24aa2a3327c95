"""Runs jobs in several processes, watched and stopped from the one that asked."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from crew.engines import crew_of
from crew.words import Crew, Failed
from impl.chain import ArenaTooSmall
from impl.layout import LayoutError
from replay.board import Board, board_for
from replay.engine.tally import BrokenLaw
from replay.errors import ReplayError
from replay.job import Job, run_job
from replay.outcome import Outcome
from replay.traffic.traffic import Traffic

EVERY_SECONDS = 0.25
"""Seconds between two reports of progress."""


class Stop:
    """Whether somebody asked to stop."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, *_: object) -> None:
        """Stop soon, with what there is."""
        self.asked = True


@contextmanager
def stoppable() -> Iterator[Stop]:
    """While this lasts, Ctrl-C asks to stop instead of raising; a second one raises."""
    stop = Stop()

    def handler(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        stop.ask()

    before = signal.signal(signal.SIGINT, handler)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far some jobs are."""

    done: int
    """Requests."""
    of: int


@dataclass(frozen=True, slots=True)
class OnRay:
    """A Ray cluster does the jobs."""

    size: int
    """Jobs at once."""
    address: str | None = None
    """The address of a cluster that is there; None to start one on this machine alone."""


Workers: TypeAlias = int | OnRay
"""Processes of this machine, or a cluster."""


class Numbered(NamedTuple):
    """A job as a process is given it."""

    number: int
    job: Job
    place: int
    """The place of its traffic among those that every process has."""


Ended: TypeAlias = Outcome | Exception | None
"""What comes of a job; None of one that was stopped before it began."""


def run_all(
    jobs: Sequence[tuple[Job, Traffic]],
    workers: Workers,
    stop: Stop,
    report: Callable[[Progress], None] = lambda progress: None,
) -> list[Outcome | None]:
    """The outcome of each job; None of one that was stopped before it began.

    The outcomes do not depend on who does the jobs. One whose process dies is done again by another.

    Args:
        jobs: each with its traffic.
        workers: who does them; 1 runs all of them in this process.
        stop: looked at often. What runs on this machine then ends early, with what it has; a cluster drops what it
            has not finished.
        report: called now and then.

    Raises:
        ReplayError: as `run_job`.
        ArenaTooSmall: as `run_job`.
        BrokenLaw: as `run_job`.
        NoCrew: Ray is not installed, or the cluster does not answer.
        RuntimeError: every process that was given a job died of it, most likely for want of the machine's memory.
    """
    whole = sum(len(traffic) for _, traffic in jobs)
    if isinstance(workers, OnRay):
        numbered, traffics = _numbered(jobs)
        with crew_of("ray", partial(_run, traffics, None), workers.size, address=workers.address) as cluster:
            return _on_cluster(cluster, numbered, traffics, whole, stop, report)
    if workers == 1 or len(jobs) == 1:
        return _run_here(jobs, whole, stop, report)
    numbered, traffics = _numbered(jobs)
    with board_for(len(jobs)) as board:
        work = partial(_run, traffics, board)
        with crew_of("local", work, min(workers, len(jobs)), preload=["replay.job"]) as crew:
            return _on_crew(crew, numbered, board, whole, stop, report)


def _run_here(
    jobs: Sequence[tuple[Job, Traffic]], whole: int, stop: Stop, report: Callable[[Progress], None]
) -> list[Outcome | None]:
    outcomes: list[Outcome | None] = []
    before = 0
    for job, traffic in jobs:

        def watched(done: int, before: int = before) -> bool:
            report(Progress(before + done, whole))
            return not stop.asked

        outcomes.append(None if stop.asked else run_job(job, traffic, watched))
        before += len(traffic)
    return outcomes


def _on_crew(
    crew: Crew[Numbered, Ended],
    jobs: Sequence[Numbered],
    board: Board,
    whole: int,
    stop: Stop,
    report: Callable[[Progress], None],
) -> list[Outcome | None]:
    outcomes: dict[int, Outcome | None] = {}
    for each in jobs:
        crew.give(each)
    while crew.busy:
        ended = crew.take(EVERY_SECONDS)
        if stop.asked:
            board.stop()
        if ended is not None:
            outcomes[ended.job.number] = _outcome(ended.problem if isinstance(ended, Failed) else ended.result)
        report(Progress(int(board.counts().sum()), whole))
    return [outcomes[number] for number in range(len(jobs))]


def _on_cluster(
    crew: Crew[Numbered, Ended],
    jobs: Sequence[Numbered],
    traffics: Sequence[Traffic],
    whole: int,
    stop: Stop,
    report: Callable[[Progress], None],
) -> list[Outcome | None]:
    outcomes: dict[int, Outcome | None] = {}
    done = 0
    for each in jobs:
        crew.give(each)
    while crew.busy and not stop.asked:
        ended = crew.take(EVERY_SECONDS)
        if ended is not None:
            outcomes[ended.job.number] = _outcome(ended.problem if isinstance(ended, Failed) else ended.result)
            done += len(traffics[ended.job.place])
        report(Progress(done, whole))
    return [outcomes.get(number) for number in range(len(jobs))]


def _numbered(jobs: Sequence[tuple[Job, Traffic]]) -> tuple[list[Numbered], list[Traffic]]:
    """The jobs, those with the most requests first, and each traffic once."""
    traffics: list[Traffic] = []
    for _, traffic in jobs:
        if not any(traffic is known for known in traffics):
            traffics.append(traffic)
    places = [next(place for place, known in enumerate(traffics) if known is traffic) for _, traffic in jobs]
    numbered = [Numbered(number, job, place) for number, ((job, _), place) in enumerate(zip(jobs, places, strict=True))]
    return sorted(numbered, key=lambda each: -len(traffics[each.place])), traffics


def _outcome(ended: Ended | str) -> Outcome | None:
    if isinstance(ended, Exception):
        raise ended
    if isinstance(ended, str):
        raise RuntimeError(f"a run was not done: {ended}")
    return ended


def _run(traffics: Sequence[Traffic], board: Board | None, each: Numbered) -> Ended:
    """Run a job in a process of its own; what is wrong with the job is told, as it would be on any other."""
    traffic = traffics[each.place]
    try:
        if board is None:
            return run_job(each.job, traffic)
        if board.stopped:
            return None
        counts = board.counts()

        def watched(done: int) -> bool:
            counts[each.number] = done
            return not board.stopped

        outcome = run_job(each.job, traffic, watched)
        counts[each.number] = len(traffic)
        return outcome
    except (ReplayError, LayoutError, ArenaTooSmall, BrokenLaw, OSError) as error:
        return error
