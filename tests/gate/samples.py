"""Lanes that are quick and do one thing each, to see what the gate makes of it."""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial

from bandgap.gate.evidence import Canary, Count, Evidence
from bandgap.gate.lane import GateResult, Lane, LaneResult
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done, Progress, Task
from bandgap.gate.violation import Violation

CAUGHT = Canary("a fault", "no-overlap", "no-overlap")
SOUND = Evidence(counts=(Count("calls", 100, 50),), canaries=(CAUGHT,))
VIOLATION = Violation(
    check="no-overlap",
    prose="No two pages in use share a byte.",
    where="toy, seed 7",
    problem="full page 3 and window page 1 share 16 bytes",
    code="allocator.allocate([1, 2])",
    calls=1,
    file="failures/no-overlap.json",
    command="bandgap reproduce failures/no-overlap.json",
)
Run = Callable[[Settings, Progress], Evidence]


def answer(evidence: Evidence, _settings: Settings, _progress: Progress) -> Evidence:
    return evidence


def crash(_settings: Settings, _progress: Progress) -> Evidence:
    raise RuntimeError("no such tool")


def die(_settings: Settings, _progress: Progress) -> Evidence:
    os._exit(9)


def hang(_settings: Settings, progress: Progress) -> Evidence:
    progress(0.5, Evidence(counts=(Count("calls", 40, 50),)))
    while True:
        time.sleep(1)


def find_with_patience(settings: Settings, _progress: Progress) -> Evidence:
    return SOUND if settings.patience > 1 else Evidence(unknown=("a proof",), canaries=(CAUGHT,))


def say_seed(settings: Settings, _progress: Progress) -> Evidence:
    return Evidence(counts=(Count("seed", settings.seed_of("task"), 0), Count("calls", 1, 1)), canaries=(CAUGHT,))


def lane_of(*runs: Run, name: str = "lane", seconds: float = 30.0) -> Lane:
    tasks = tuple(Task(name, f"task {number}", run, seconds) for number, run in enumerate(runs))

    def planned(_settings: Settings) -> Sequence[Task]:
        return tasks

    return Lane(name, "Nothing overlaps.", planned)


def result_of(*evidence: Evidence, name: str = "lane", claim: str = "Nothing overlaps.") -> GateResult:
    done = tuple(
        Done(Task(name, f"task {number}", partial(answer, each), 1.0), each, 1.5)
        for number, each in enumerate(evidence)
    )
    return GateResult(Settings(), (LaneResult(name, claim, done),), 3.0)
