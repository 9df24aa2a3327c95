"""Runs lanes to one result."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

from bandgap.gate.evidence import Evidence
from bandgap.gate.lane import GateResult, Lane, LaneResult
from bandgap.gate.processes import Moved, run_tasks
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done, Task
from bandgap.gate.verdict import Answer, answer_of, reasons_of_task

Watcher = Callable[[Moved | Done], None]
"""Told what happens, for people who wait."""


def run_gate(lanes: Sequence[Lane], settings: Settings, watch: Watcher) -> GateResult:
    """Runs every task of every lane; what has no answer runs once more, with doubled limits.

    An interrupt ends the run, and the result says what was not finished.
    """
    began = time.monotonic()
    planned = [task for lane in lanes for task in lane.tasks(settings)]
    done: dict[Task, Done] = {}
    reached: dict[Task, Evidence] = {}
    stopped = False
    try:
        _run(planned, settings, watch, done, reached)
        again = [task for task in planned if has_no_answer(done[task].evidence)]
        _run(again, settings.more_patient(), watch, done, reached)
    except KeyboardInterrupt:
        stopped = True
    for task in planned:
        if task not in done:
            done[task] = Done(task, _interrupted(task, reached.get(task)), 0.0)
    results = tuple(
        LaneResult(lane.name, lane.claim, tuple(done[task] for task in planned if task.lane == lane.name))
        for lane in lanes
    )
    return GateResult(settings, results, time.monotonic() - began, stopped)


def has_no_answer(evidence: Evidence) -> bool:
    """Whether more time may help: nothing is wrong with it, but it is not enough."""
    return answer_of(reasons_of_task(evidence)) is Answer.INCONCLUSIVE


def _run(
    tasks: Sequence[Task], settings: Settings, watch: Watcher, done: dict[Task, Done], reached: dict[Task, Evidence]
) -> None:
    with closing(run_tasks(tasks, settings)) as events:
        for event in events:
            if isinstance(event, Done):
                before = done.get(event.task)
                if before is not None:
                    event = replace(event, seconds=before.seconds + event.seconds, again=True)
                done[event.task] = event
            else:
                reached[event.task] = event.evidence
            watch(event)


def _interrupted(task: Task, reached: Evidence | None) -> Evidence:
    if reached is None:
        return Evidence(unfinished=(f"{task.name}: not begun",))
    return replace(reached, unfinished=(f"{task.name}: interrupted",))
