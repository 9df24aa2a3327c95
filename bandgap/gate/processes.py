"""Runs tasks, each in a process of its own, so that one which crashes or hangs takes nothing else with it."""

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from typing import Any

from bandgap.gate.evidence import Evidence
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done, Task
from crew.interrupts import uninterrupted

START_SECONDS = 120.0
"""What starting a process may take; the time of its task is counted from when it says that it has begun."""

PRELOADED = ["bandgap.gate.preloaded"]
"""Imported once, in the server from which every process is forked."""


@dataclass(frozen=True)
class Moved:
    """A task got further."""

    task: Task
    share: float
    evidence: Evidence


@dataclass
class _Running:
    task: Task
    process: ForkServerProcess
    pipe: Connection
    began: float
    so_far: Evidence = field(default_factory=Evidence)

    @property
    def seconds(self) -> float:
        return max(0.0, time.monotonic() - self.began)

    def ends_at(self, settings: Settings) -> float:
        return self.began + self.task.seconds * settings.patience


def run_tasks(tasks: Sequence[Task], settings: Settings) -> Generator[Moved | Done]:
    """Runs them, the first ones first, `settings.workers` at a time; tells what happens, as it happens.

    Closing the iterator, or an interrupt, ends every process and its children.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    waiting, running = deque(tasks), dict[Any, _Running]()
    try:
        while waiting or running:
            while waiting and _has_room(waiting[0], running, settings):
                with uninterrupted():
                    started = _start(context, waiting.popleft(), settings)
                    running[started.pipe] = started
            soonest = min(r.ends_at(settings) for r in running.values())
            for pipe in wait(list(running), timeout=max(0.0, soonest - time.monotonic())):
                event = _heard(running[pipe])
                if isinstance(event, Done):
                    _stop(running.pop(pipe))
                yield event
            for pipe, late in list(running.items()):
                if time.monotonic() >= late.ends_at(settings):
                    _stop(running.pop(pipe))
                    yield _done(late, f"{late.task.name}: stopped after {late.task.seconds * settings.patience:.0f} s")
    finally:
        for left in running.values():
            _stop(left)


def _has_room(task: Task, running: dict[Any, _Running], settings: Settings) -> bool:
    if task.all_cores or any(other.task.all_cores for other in running.values()):
        return not running
    return len(running) < settings.workers


def _start(context: Any, task: Task, settings: Settings) -> _Running:
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(there, task, settings), name=task.name)
    process.start()
    there.close()
    return _Running(task, process, here, time.monotonic() + START_SECONDS)


def _child(pipe: Connection, task: Task, settings: Settings) -> None:
    # A group of its own: the terminal's interrupt goes to the parent alone, which ends this group as a whole.
    os.setpgid(0, 0)
    pipe.send((0.0, Evidence()))
    try:
        evidence = task.run(settings, lambda share, so_far: pipe.send((share, so_far)))
    except BaseException as error:
        evidence = Evidence(broken=(f"{task.name}: {type(error).__name__}: {error}",), notes=(traceback.format_exc(),))
    pipe.send((None, evidence))


def _heard(running: _Running) -> Moved | Done:
    try:
        share, evidence = running.pipe.recv()
    except EOFError:
        running.process.join()
        return _died(running)
    if share is None:
        return Done(running.task, evidence, running.seconds)
    running.began = min(running.began, time.monotonic())
    running.so_far = evidence
    return Moved(running.task, share, evidence)


def _died(running: _Running) -> Done:
    text = f"{running.task.name}: its process ended without an answer (exit code {running.process.exitcode})"
    evidence = replace(running.so_far, broken=(*running.so_far.broken, text))
    return Done(running.task, evidence, running.seconds)


def _done(running: _Running, why: str) -> Done:
    evidence = replace(running.so_far, unfinished=(*running.so_far.unfinished, why))
    return Done(running.task, evidence, running.seconds)


def _stop(running: _Running) -> None:
    pid = running.process.pid
    assert pid is not None  # it was started
    for kill in (os.killpg, os.kill):
        # it may be over, or not yet have a group of its own
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)
    running.process.join()
    running.pipe.close()
