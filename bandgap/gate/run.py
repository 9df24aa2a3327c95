"""Runs lanes to one result."""

import time
from collections.abc import Callable, Collection, Sequence
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


def run_gate(lanes: Sequence[Lane], settings: Settings, watch: Watcher, only: Collection[str] = ()) -> GateResult:
    """Runs every task of every lane; what has no answer runs once more, with doubled limits.

    An interrupt ends the run, and the result says what was not finished.

    Args:
        lanes: all that a gate has.
        settings: for their tasks.
        watch: told what happens.
        only: if given, lanes by name and tasks as `lane/task`. All others are reported as left out, and what was left
            out is not finished: this is never a pass.
    """
    began = time.monotonic()
    planned = {lane.name: lane.tasks(settings) for lane in lanes}
    done = {task: _left_out(task) for tasks in planned.values() for task in tasks if not is_chosen(task, only)}
    # what may take longest begins first, so that no core is idle at the end
    chosen = sorted(
        (task for tasks in planned.values() for task in tasks if task not in done), key=lambda task: -task.seconds
    )
    reached: dict[Task, Evidence] = {}
    stopped = False

    def results() -> tuple[LaneResult, ...]:
        return tuple(
            LaneResult(lane.name, lane.claim, tuple(done[task] for task in planned[lane.name]), lane.floors(settings))
            for lane in lanes
        )

    try:
        _run(chosen, settings, watch, done, reached)
        again = [task for task in without_answer(results()) if is_chosen(task, only)]
        _run(again, settings.more_patient(), watch, done, reached)
    except KeyboardInterrupt:
        stopped = True
    for task in chosen:
        if task not in done:
            done[task] = Done(task, _interrupted(task, reached.get(task)), 0.0)
    return GateResult(settings, results(), time.monotonic() - began, stopped)


def is_chosen(task: Task, only: Collection[str]) -> bool:
    """Whether a task is to be run, given names of lanes and tasks; without names all are."""
    return not only or task.lane in only or f"{task.lane}/{task.name}" in only


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


def _left_out(task: Task) -> Done:
    return Done(task, Evidence(unfinished=(f"{task.name}: left out",)), 0.0, left_out=True)


def _interrupted(task: Task, reached: Evidence | None) -> Evidence:
    if reached is None:
        return Evidence(unfinished=(f"{task.name}: not begun",))
    return replace(reached, unfinished=(f"{task.name}: interrupted",))
