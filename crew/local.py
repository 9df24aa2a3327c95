"""A crew of processes on this machine."""

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic

from crew.given import Given, patience
from crew.interrupts import uninterrupted
from crew.words import TRIES, Done, Failed, J, R


@contextmanager
def local(
    work: Callable[[J], R],
    size: int,
    *,
    preload: Sequence[str] = (),
    gpus: int = 0,
    limit: float | None = None,
) -> "Iterator[LocalCrew[J, R]]":
    """Processes of this machine, which are gone when the block ends, however it ends.

    Args:
        work: does a job; a function of a module or a partial of one, sent to each process once.
        size: processes.
        preload: modules that are imported once, before the processes are copied from each other.
        gpus: of this machine; each process sees one of them alone.
        limit: seconds after which a job is stopped and has failed.
    """
    crew: LocalCrew[J, R] = LocalCrew(work, size, preload, gpus, limit)
    try:
        yield crew
    finally:
        crew.end()


@dataclass
class _Hand(Generic[J]):
    """One process, and what it is doing."""

    number: int
    process: BaseProcess
    given: Given[J] | None = None


class LocalCrew(Generic[J, R]):
    """See `crew.words.Crew`."""

    def __init__(
        self, work: Callable[[J], R], size: int, preload: Sequence[str], gpus: int, limit: float | None
    ) -> None:
        self.size = size
        self._work, self._gpus, self._limit = work, _gpus(gpus), limit
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["__main__", *preload])
        self._waiting: deque[Given[J]] = deque()
        self._hands: dict[Connection[Any, Any], _Hand[J]] = {}
        self._failed: deque[Failed[J]] = deque()

    @property
    def busy(self) -> int:
        """See `Crew.busy`."""
        return len(self._waiting) + len(self._failed) + sum(hand.given is not None for hand in self._hands.values())

    def give(self, job: J) -> None:
        """See `Crew.give`."""
        self._waiting.append(Given(job))
        self._share_out()

    def take(self, seconds: float | None = None) -> Done[J, R] | Failed[J] | None:
        """See `Crew.take`."""
        if not self.busy:
            raise ValueError("no job was given")
        until = float("inf") if seconds is None else time.monotonic() + seconds
        while not self._failed:
            self._share_out()
            begun = {pipe: hand.given for pipe, hand in self._hands.items() if hand.given is not None}
            if not begun:
                continue  # processes died before they could be given anything
            for pipe in wait(list(begun), patience(until, begun.values())):
                ended = self._heard(pipe)  # type: ignore[arg-type]  # only pipes were waited for
                if ended is not None:
                    return ended
            self._stop_the_late()
            if not self._failed and time.monotonic() >= until:
                return None
        return self._failed.popleft()

    def end(self) -> None:
        """Every process is gone."""
        for pipe in list(self._hands):
            self._dismiss(pipe)

    def _share_out(self) -> None:
        free = [pipe for pipe, hand in self._hands.items() if hand.given is None]
        while self._waiting and (free or len(self._hands) < self.size):
            pipe = free.pop() if free else self._started()
            given = self._waiting.popleft()
            given.begin(self._limit)
            self._hands[pipe].given = given
            try:
                pipe.send(given.job)
            except OSError:
                self._lost(pipe)

    def _started(self) -> "Connection[Any, Any]":
        ours, theirs = self._context.Pipe()
        taken = {hand.number for hand in self._hands.values()}
        number = next(number for number in range(self.size) if number not in taken)
        gpu = self._gpus[number % len(self._gpus)] if self._gpus else None
        process = self._context.Process(target=_work_off, args=(theirs, self._work, gpu), daemon=True)
        with uninterrupted():
            # a process that was started and is not known here would be left running
            process.start()
            self._hands[ours] = _Hand(number, process)
        theirs.close()
        return ours

    def _heard(self, pipe: "Connection[Any, Any]") -> Done[J, R] | Failed[J] | None:
        hand = self._hands[pipe]
        assert hand.given is not None  # only those at work are listened to
        try:
            is_done, said = pipe.recv()
        except (EOFError, OSError):
            self._lost(pipe)
            return None
        job, hand.given = hand.given.job, None
        self._share_out()
        return Done(job, said) if is_done else Failed(job, said)

    def _lost(self, pipe: "Connection[Any, Any]") -> None:
        """A process ended in the middle of a job."""
        hand = self._dismiss(pipe)
        given = hand.given
        assert given is not None  # as it was at work
        if given.tries < TRIES:
            self._waiting.appendleft(given)
        else:
            code = hand.process.exitcode
            self._failed.append(Failed(given.job, f"its process ended {given.tries} times, at last with code {code}"))

    def _stop_the_late(self) -> None:
        for pipe, hand in list(self._hands.items()):
            if hand.given is not None and hand.given.is_late:
                self._dismiss(pipe)
                self._failed.append(Failed(hand.given.job, f"it was stopped after {self._limit:.0f} seconds"))

    def _dismiss(self, pipe: "Connection[Any, Any]") -> _Hand[J]:
        hand = self._hands.pop(pipe)
        hand.process.kill()
        hand.process.join()
        pipe.close()
        return hand


def _gpus(count: int) -> list[str]:
    """The names of so many GPUs, of those that this process may see."""
    visible = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    return (visible or [str(number) for number in range(count)])[:count]


def _work_off(pipe: "Connection[Any, Any]", work: Callable[[J], R], gpu: str | None) -> None:
    # Ctrl-C at a terminal reaches every process; the one that started this one decides what becomes of it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    if gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        pipe.send(_done(work, job))


def _done(work: Callable[[J], R], job: J) -> tuple[bool, R | str]:
    try:
        return True, work(job)
    except BaseException:
        return False, traceback.format_exc()


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # this process was started by one
    parent.join()
    os._exit(1)
