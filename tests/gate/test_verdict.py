"""Each way in which a lane, or the gate, is not a pass."""

from dataclasses import replace

import pytest

from bandgap.exits import Exit
from bandgap.gate.evidence import Canary, Count
from bandgap.gate.lane import GateResult
from bandgap.gate.settings import Settings
from bandgap.gate.verdict import Answer
from tests.gate.samples import CAUGHT, SOUND, VIOLATION, result_of

RED = {
    "a violation": (replace(SOUND, violations=(VIOLATION,)), Answer.VIOLATED, "no-overlap is violated"),
    "a broken tool": (replace(SOUND, broken=("z3: not there",)), Answer.BROKEN, "z3: not there"),
    "an unknown proof": (replace(SOUND, unknown=("free x span",)), Answer.INCONCLUSIVE, "no answer within the limit"),
    "an unfinished task": (replace(SOUND, unfinished=("toy",)), Answer.INCONCLUSIVE, "not finished: toy"),
    "a missed floor": (replace(SOUND, counts=(Count("calls", 49, 50),)), Answer.INCONCLUSIVE, "49 calls, and 50"),
    "an empty run": (replace(SOUND, counts=(Count("calls", 0, 1),)), Answer.INCONCLUSIVE, "0 calls, and 1"),
    "no counts": (replace(SOUND, counts=()), Answer.BROKEN, "nothing was counted"),
    "counts that are only shown": (
        replace(SOUND, counts=(Count("calls", 9, 0),)),
        Answer.BROKEN,
        "nothing was counted",
    ),
    "no canary": (replace(SOUND, canaries=()), Answer.BROKEN, "there was no canary"),
    "a canary that is not caught": (
        replace(SOUND, canaries=(CAUGHT, Canary("a fault", "content", None))),
        Answer.BROKEN,
        "the canary was not caught: a fault must break content",
    ),
    "a canary that something else caught": (
        replace(SOUND, canaries=(Canary("a fault", "content", "span"),)),
        Answer.BROKEN,
        "the canary was caught by span",
    ),
}


def test_sound_evidence_holds() -> None:
    result = result_of(SOUND)
    assert result.answer is Answer.HOLDS
    assert result.lanes[0].reasons == ()


@pytest.mark.parametrize("name", RED)
def test_evidence_that_is_not_sound_is_red_and_says_why(name: str) -> None:
    evidence, answer, text = RED[name]
    result = result_of(evidence)
    assert result.answer is answer
    assert [text in reason.text for reason in result.lanes[0].reasons] == [True]


@pytest.mark.parametrize("name", RED)
def test_a_red_task_is_not_made_good_by_its_neighbour(name: str) -> None:
    evidence, answer, _ = RED[name]
    without_tasks_of_its_own = {"no counts", "counts that are only shown", "no canary"}
    expected = Answer.HOLDS if name in without_tasks_of_its_own else answer
    assert result_of(SOUND, evidence).answer is expected


def test_plenty_in_one_task_does_not_fill_the_floor_of_another() -> None:
    rich, poor = Count("calls", 1_000, 50), Count("calls", 10, 50)
    result = result_of(replace(SOUND, counts=(rich,)), replace(SOUND, counts=(poor,)))
    assert result.answer is Answer.INCONCLUSIVE
    assert result.lanes[0].evidence.counts == (Count("calls", 1_010, 100),)


def test_a_lane_without_tasks_is_broken() -> None:
    assert result_of().answer is Answer.BROKEN


def test_a_gate_without_lanes_is_broken() -> None:
    assert GateResult(Settings(), (), 0.0).answer is Answer.BROKEN


def test_what_is_violated_stays_violated_whatever_else_went_wrong() -> None:
    everything = [evidence for evidence, _, _ in RED.values()]
    assert result_of(*everything).answer is Answer.VIOLATED


def test_a_broken_tool_weighs_more_than_a_missing_answer() -> None:
    assert result_of(RED["a broken tool"][0], RED["an unknown proof"][0]).answer is Answer.BROKEN


def test_each_answer_has_its_exit_code() -> None:
    assert {answer: answer.exit for answer in Answer} == {
        Answer.HOLDS: Exit.HOLDS,
        Answer.VIOLATED: Exit.VIOLATED,
        Answer.BROKEN: Exit.MISUSED,
        Answer.INCONCLUSIVE: Exit.INCONCLUSIVE,
    }
