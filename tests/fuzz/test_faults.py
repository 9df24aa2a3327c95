from collections import Counter
from contextlib import contextmanager

import pytest

from fuzz.faults.all import FAULTS
from fuzz.faults.fault import Fault, replaced
from fuzz.faults.trial import trial_setups, try_all, try_one
from fuzz.machine import run_machine
from fuzz.setups import setup_of
from fuzz.targets.all import TARGETS
from impl.allocator import Allocator
from impl.steps import Steps

LONGEST = 12
"""Calls that any seeded fault shrinks to."""


def test_there_are_faults_of_every_level() -> None:
    assert len(FAULTS) >= 70
    levels = Counter(fault.level for fault in FAULTS.values())
    assert levels["allocator"] >= 45
    assert levels["device"] >= 20
    assert levels["recorder"] >= 2


def test_every_fault_names_a_promise_and_a_precedent() -> None:
    for fault in FAULTS.values():
        assert fault.property in TARGETS[fault.target].promises
        assert fault.precedent
        assert fault.prose.endswith(".")
    assert len({fault.property for fault in FAULTS.values()}) >= 24


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_caught_by_the_property_that_it_names(name: str) -> None:
    # the gate hunts at least twice
    trial = try_one(FAULTS[name], trial_setups(), hunts=(1, 20))
    assert (trial.verdict, trial.caught_by) == ("caught", FAULTS[name].property), trial
    assert trial.failure is not None
    assert trial.failure.repeats
    assert trial.shrunk is not None
    assert trial.shrunk <= LONGEST


@pytest.mark.parametrize(
    "name", ["free-ignores-holders", "rivals-are-not-looked-for", "copies-are-not-made", "never-is-said-too-early"]
)
def test_the_state_machine_finds_faults_too(name: str) -> None:
    fault = FAULTS[name]
    with fault.apply():
        run = run_machine(setup_of("toy-three"), 1, examples=200, fault=name)
    assert run.failure is not None
    assert run.failure.property == fault.property
    assert len(run.failure.script) <= LONGEST


def _fault(apply: object) -> Fault:
    return Fault("planted", "Nothing.", "allocator", "content", "none", apply)  # type: ignore[arg-type]  # any function


def test_a_fault_that_changes_nothing_survives() -> None:
    @contextmanager
    def nothing():  # type: ignore[no-untyped-def]  # a generator of nothing
        yield

    assert try_one(_fault(nothing), trial_setups(), calls=300).verdict == "survived"


def test_a_fault_that_cannot_be_put_into_force_is_invalid() -> None:
    trial = try_one(_fault(lambda: replaced(Allocator, "there_is_no_such_thing", lambda it: it)), trial_setups())
    assert trial.verdict == "invalid"
    assert "there_is_no_such_thing" in str(trial.problem)


def test_a_fault_that_only_breaks_the_code_is_invalid() -> None:
    trial = try_one(_fault(lambda: replaced(Steps, "free", lambda _: lambda self: None)), trial_setups())
    assert (trial.verdict, trial.caught_by) == ("invalid", "crash")


def test_a_fault_that_another_property_catches_is_not_caught() -> None:
    trial = try_one(_fault(FAULTS["free-ignores-holders"].apply), trial_setups(), hunts=(1, 2))
    assert (trial.verdict, trial.caught_by) == ("caught by another property", "outside-is-free")


def test_no_fault_is_tried_when_the_unmodified_code_fails() -> None:
    with FAULTS["free-ignores-holders"].apply():
        matrix = try_all([FAULTS["writers-do-not-pin"]])
    assert matrix.baseline.failure is not None
    assert matrix.trials == ()
    assert not matrix.holds


def test_faults_leave_nothing_behind() -> None:
    before = dict(vars(Allocator)), dict(vars(Steps))
    for fault in FAULTS.values():
        with fault.apply():
            pass
    assert (dict(vars(Allocator)), dict(vars(Steps))) == before
