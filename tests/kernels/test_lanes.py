"""Every lane that needs no GPU is executed, counted, and shown to fail when it runs nothing or finds no device."""

from pathlib import Path

import pytest

from tests.kernels.lanes import Outcome, outcome_of

FLOORS = {"interpreter": 210, "sm_90": 24}
"""Tests that a lane has at least."""


@pytest.mark.parametrize("lane", sorted(FLOORS))
def test_lane_is_executed_and_passes(lane: str, tmp_path: Path) -> None:
    outcome = outcome_of(lane, tmp_path)
    assert outcome.holds, outcome.output
    assert outcome.passed >= FLOORS[lane]


def test_a_lane_that_runs_nothing_fails(tmp_path: Path) -> None:
    outcome = outcome_of("sm_90", tmp_path, "-k", "no test of this name")
    assert (outcome.passed, outcome.others) == (0, 0)
    assert not outcome.holds


@pytest.mark.parametrize(
    "outcome",
    [Outcome(0, 0, 0, ""), Outcome(3, 1, 0, ""), Outcome(3, 0, 1, "")],
    ids=["empty", "one skipped", "broken"],
)
def test_only_a_lane_that_ran_and_passed_whole_holds(outcome: Outcome) -> None:
    assert Outcome(3, 0, 0, "").holds
    assert not outcome.holds


def test_the_gpu_lane_is_refused_without_a_gpu(tmp_path: Path) -> None:
    outcome = outcome_of("cuda", tmp_path, environment={"CUDA_VISIBLE_DEVICES": ""})
    assert not outcome.holds
    assert outcome.code == pytest.ExitCode.USAGE_ERROR
    assert "torch finds no CUDA device" in outcome.output
