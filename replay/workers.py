"""Runs jobs in several processes, watched and stopped from the one that asked."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from replay.job import Job, run_job
from replay.outcome import Outcome
from replay.traffic.traffic import Traffic

EVERY_SECONDS = 0.25
"""Between two reports of progress."""


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


class _Here:
    """What a worker process knows."""

    traffics: Sequence[Traffic] = ()
    stop: Any = None
    counts: Any = None


def run_all(
    jobs: Sequence[tuple[Job, Traffic]],
    workers: int,
    stop: Stop,
    report: Callable[[Progress], None] = lambda progress: None,
) -> list[Outcome | None]:
    """The outcome of each job; None of one that was stopped before it began.

    The outcomes do not depend on the number of processes.

    Args:
        jobs: each with its traffic.
        workers: processes; 1 runs all of them here.
        stop: looked at often; what runs then ends early, with what it has.
        report: called now and then.
    """
    whole = sum(len(traffic) for _, traffic in jobs)
    if workers == 1 or len(jobs) == 1:
        return _run_here(jobs, whole, stop, report)
    traffics: list[Traffic] = []
    for _, traffic in jobs:
        if not any(traffic is known for known in traffics):
            traffics.append(traffic)
    places = [next(place for place, known in enumerate(traffics) if known is traffic) for _, traffic in jobs]
    context = get_context("forkserver")
    context.set_forkserver_preload(["replay.job"])
    flag, counts = context.Event(), context.Array("q", len(jobs), lock=False)
    pool = ProcessPoolExecutor(min(workers, len(jobs)), context, _begin, (traffics, flag, counts))
    with pool:
        order = sorted(range(len(jobs)), key=lambda number: -len(jobs[number][1]))
        futures: dict[int, Future[Outcome | None]] = {
            number: pool.submit(_run_there, number, jobs[number][0], places[number]) for number in order
        }
        pending = set(futures.values())
        while pending:
            finished, pending = wait(pending, EVERY_SECONDS, FIRST_COMPLETED)
            if stop.asked:
                flag.set()
            for future in finished:
                if future.exception() is not None:
                    flag.set()
            report(Progress(sum(counts), whole))
    return [futures[number].result() for number in range(len(jobs))]


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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


def _begin(traffics: Sequence[Traffic], stop: Any, counts: Any) -> None:
    # the process that asked answers Ctrl-C, and tells the others
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Here.traffics, _Here.stop, _Here.counts = traffics, stop, counts


def _run_there(number: int, job: Job, place: int) -> Outcome | None:
    if _Here.stop.is_set():
        return None

    def watched(done: int) -> bool:
        _Here.counts[number] = done
        return not _Here.stop.is_set()

    traffic = _Here.traffics[place]
    outcome = run_job(job, traffic, watched)
    _Here.counts[number] = len(traffic)
    return outcome
