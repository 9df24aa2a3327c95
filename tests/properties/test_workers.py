"""Tasks side by side: in order, the same every time, and never silently lost."""

import os
from collections.abc import Iterator

import pytest

from properties import run, selected
from properties.runs import tasks
from properties.tasks import Task
from properties.workers import Broken, results


def double(number: int) -> Iterator[int]:
    yield number
    yield 2 * number


def fail(number: int) -> Iterator[int]:
    yield number
    raise ValueError("this one went wrong")


def vanish(number: int) -> Iterator[int]:
    os._exit(7)
    yield number


def test_results_come_in_the_order_of_the_tasks() -> None:
    assert list(results(double, range(5), 3)) == [0, 0, 1, 2, 2, 4, 3, 6, 4, 8]
    assert list(results(double, [], 2)) == []


def test_a_task_that_fails_is_no_result() -> None:
    coming = results(fail, [1, 2], 1)
    assert next(coming) == 1
    with pytest.raises(Broken, match="this one went wrong"):
        list(coming)


def test_a_process_that_dies_is_no_result() -> None:
    with pytest.raises(Broken, match="ended with code 7"):
        list(results(vanish, [1], 1))


def test_a_run_finds_the_same_however_many_do_it() -> None:
    selection = selected(["unshare", "drain x content"])
    told: list[list[str]] = []
    reports = []
    for jobs in (1, 3):
        told.append([])
        reports.append(run(selection, jobs=jobs, on_result=lambda result: told[-1].append(type(result).__name__)))
    one, other = reports
    assert told[0] == told[1]
    assert [(a.obligation, a.verdict, a.counterexample) for a in one.answers] == [
        (a.obligation, a.verdict, a.counterexample) for a in other.answers
    ]
    assert [(t.name, t.refuted, t.counterexample) for t in one.trials] == [
        (t.name, t.refuted, t.counterexample) for t in other.trials
    ]
    assert one.witnesses == other.witnesses
    assert one.trials
    assert one.witnesses


def test_every_task_can_be_told_by_name() -> None:
    from properties import USUAL, everything

    made: list[Task] = list(tasks(everything(), None, USUAL))
    assert len(made) == len(set(map(repr, made)))
