"""Tasks done side by side, each in a process of its own.

A task begins in a fresh copy of one prepared process, so that what it finds depends on nothing that was done before it,
and it can be stopped at any moment.
"""

import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from crew.interrupts import uninterrupted

T = TypeVar("T")
R = TypeVar("R")

PREPARED = ["__main__", "properties.prepared"]
"""What the process that is copied has loaded, and done."""


class Broken(Exception):
    """A task failed or its process was killed: nothing was learned."""


def results(work: Callable[[T], Iterable[R]], tasks: Sequence[T], jobs: int) -> Generator[R]:
    """What comes of all tasks, as soon as it is known and yet in the order of the tasks.

    Raises:
        Broken: a task failed.

    However it ends, also when the iterator is closed, no process is left running.
    """
    team: _Team[T, R] = _Team(work, tasks, jobs)
    try:
        yield from team.in_order()
    finally:
        team.stop()


class _Team(Generic[T, R]):
    def __init__(self, work: Callable[[T], Iterable[R]], tasks: Sequence[T], jobs: int) -> None:
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(PREPARED)
        self.work, self.tasks, self.jobs = work, tasks, jobs
        self.waiting = deque(range(len(tasks)))
        self.running: dict[Connection[Any, Any], tuple[int, BaseProcess]] = {}
        self.known: list[deque[R]] = [deque() for _ in tasks]
        self.ended: set[int] = set()

    def in_order(self) -> Generator[R]:
        for task, known in enumerate(self.known):
            while known or task not in self.ended:
                if known:
                    yield known.popleft()
                else:
                    self._listen()

    def stop(self) -> None:
        for connection, (_, process) in self.running.items():
            process.kill()
            process.join()
            connection.close()
        self.running.clear()

    def _listen(self) -> None:
        while self.waiting and len(self.running) < self.jobs:
            self._start(self.waiting.popleft())
        for connection in wait(list(self.running)):
            self._take(connection)  # type: ignore[arg-type]  # only connections were waited for

    def _start(self, task: int) -> None:
        ours, theirs = self.context.Pipe(duplex=False)
        process = self.context.Process(target=_child, args=(theirs, self.work, self.tasks[task]), daemon=True)
        with uninterrupted():
            # a process that was started and is not known here would be left running
            process.start()
            self.running[ours] = task, process
        theirs.close()

    def _take(self, connection: "Connection[Any, Any]") -> None:
        task, process = self.running[connection]
        try:
            kind, content = connection.recv()
        except EOFError:
            process.join()
            raise Broken(f"the process of {self.tasks[task]} ended with code {process.exitcode}") from None
        if kind == "result":
            self.known[task].append(content)
            return
        del self.running[connection]
        connection.close()
        process.join()
        if kind == "failure":
            raise Broken(f"{self.tasks[task]} failed:\n{content}")
        self.ended.add(task)


def _child(connection: "Connection[Any, Any]", work: Callable[[T], Iterable[R]], task: T) -> None:
    # Ctrl-C at a terminal reaches every process; the one that started this one decides what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for result in work(task):
            connection.send(("result", result))
    except BaseException:
        connection.send(("failure", traceback.format_exc()))
    else:
        connection.send(("end", None))
