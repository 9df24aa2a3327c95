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
    planned = {lane.name: lane.tasks(settings) for lane in lanes}
    # what may take longest begins first, so that no core is idle at the end
    everything = sorted((task for tasks in planned.values() for task in tasks), key=lambda task: -task.seconds)
    done: dict[Task, Done] = {}
    reached: dict[Task, Evidence] = {}
    stopped = False

    def results() -> tuple[LaneResult, ...]:
        return tuple(
            LaneResult(lane.name, lane.claim, tuple(done[task] for task in planned[lane.name]), lane.floors(settings))
            for lane in lanes
        )

    try:
        _run(everything, settings, watch, done, reached)
        _run(without_answer(results()), settings.more_patient(), watch, done, reached)
    except KeyboardInterrupt:
        stopped = True
    for task in everything:
        if task not in done:
            done[task] = Done(task, _interrupted(task, reached.get(task)), 0.0)
    return GateResult(settings, results(), time.monotonic() - began, stopped)


def without_answer(lanes: Sequence[LaneResult]) -> list[Task]:
    """The tasks that more time may help: nothing is wrong with them or their lane, but it is not enough."""
    return [
        done.task
        for lane in lanes
        for done in lane.done
        if has_no_answer(done.evidence) or answer_of(lane.own_reasons) is Answer.INCONCLUSIVE
    ]


def has_no_answer(evidence: Evidence) -> bool:
    """Whether nothing is wrong with a task's evidence, but it is not enough."""
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
