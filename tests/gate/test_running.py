"""Tasks in processes: what crashes, dies, hangs or is interrupted is told, and takes nothing else with it."""

import multiprocessing
import os
import time
from functools import partial

import pytest

from bandgap.gate.evidence import Evidence
from bandgap.gate.lane import GateResult, Lane
from bandgap.gate.processes import Moved
from bandgap.gate.run import run_gate
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done
from bandgap.gate.verdict import Answer
from tests.gate.samples import SOUND, answer, crash, die, find_with_patience, hang, lane_of, say_seed

SETTINGS = Settings(workers=2)


def run(*lanes: Lane, settings: Settings = SETTINGS) -> GateResult:
    return run_gate(lanes, settings, lambda event: None)


def test_sound_lanes_hold() -> None:
    result = run(lane_of(partial(answer, SOUND)), lane_of(partial(answer, SOUND), name="other"))
    assert result.answer is Answer.HOLDS
    assert [len(lane.done) for lane in result.lanes] == [1, 1]


def test_a_crash_is_a_broken_tool_and_the_others_still_run() -> None:
    result = run(lane_of(crash, partial(answer, SOUND)))
    assert result.answer is Answer.BROKEN
    assert result.lanes[0].reasons[0].text == "task 0: RuntimeError: no such tool"
    assert "Traceback" in result.lanes[0].evidence.notes[0]
    assert result.lanes[0].evidence.counts == SOUND.counts


def test_a_process_that_dies_is_a_broken_tool() -> None:
    result = run(lane_of(die, partial(answer, SOUND)))
    assert result.answer is Answer.BROKEN
    assert "ended without an answer (exit code 9)" in result.lanes[0].reasons[0].text


def test_a_task_that_hangs_is_stopped_twice_and_shows_what_it_has() -> None:
    result = run(lane_of(hang, partial(answer, SOUND), seconds=0.5))
    assert result.answer is Answer.INCONCLUSIVE
    assert result.lanes[0].done[0].again
    assert "task 0: stopped after 1 s" in result.lanes[0].evidence.unfinished
    assert result.lanes[0].evidence.counts[0].number == 140


def test_what_has_no_answer_runs_once_more_with_doubled_limits() -> None:
    result = run(lane_of(find_with_patience))
    assert result.answer is Answer.HOLDS
    assert result.lanes[0].done[0].again


def test_an_interrupt_ends_the_run_and_keeps_what_there_is() -> None:
    lanes = (
        lane_of(partial(answer, SOUND), hang, partial(answer, SOUND), name="begun"),
        lane_of(crash, name="not begun"),
    )

    def watch(event: Moved | Done) -> None:
        if isinstance(event, Moved) and event.evidence.counts:
            raise KeyboardInterrupt

    result = run_gate(lanes, Settings(workers=1), watch)
    assert result.stopped
    assert result.answer is Answer.INCONCLUSIVE
    assert result.lanes[0].evidence.unfinished == ("task 1: interrupted", "task 2: not begun")
    assert result.lanes[0].evidence.counts[0].number == 140
    assert result.lanes[1].evidence == Evidence(unfinished=("task 0: not begun",))


def test_what_is_left_out_is_said_and_never_a_pass() -> None:
    lanes = lane_of(partial(answer, SOUND), crash, name="chosen"), lane_of(crash, name="other")
    result = run_gate(lanes, SETTINGS, lambda event: None, ["chosen/task 0"])
    assert result.answer is Answer.INCONCLUSIVE
    assert [lane.evidence.unfinished for lane in result.lanes] == [("task 1: left out",), ("task 0: left out",)]
    assert result.lanes[0].evidence.counts == SOUND.counts
    assert [[done.left_out for done in lane.done] for lane in result.lanes] == [[False, True], [True]]
    assert [lane.left_out for lane in result.lanes] == [False, True]


def test_an_interrupt_leaves_no_process_behind() -> None:
    pids: list[int] = []

    def watch(event: Moved | Done) -> None:
        pids.extend(child.pid for child in multiprocessing.active_children() if child.pid)
        raise KeyboardInterrupt

    run_gate([lane_of(hang)], Settings(workers=1), watch)
    assert pids
    for _ in range(100):
        if not any(map(_alive, pids)):
            return
        time.sleep(0.05)
    pytest.fail("a process is still there")


def test_a_seed_is_the_task_s_own_and_always_the_same() -> None:
    first, second = (run(lane_of(say_seed)).lanes[0].evidence.counts[0] for _ in range(2))
    assert first == second
    other = run(lane_of(say_seed), settings=Settings(workers=2, seed=1)).lanes[0].evidence.counts[0]
    assert other != first
    assert SETTINGS.seed_of("task") != SETTINGS.seed_of("another task")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
