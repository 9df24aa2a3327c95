"""How short the scripts are that show seeded faults, and that they stay so."""

from dataclasses import replace
from typing import Final

import pytest

from fuzz import explaining
from fuzz.faults.all import FAULTS
from fuzz.faults.lengths import LENGTHS, grown
from fuzz.faults.trial import Trial, trial_setups, try_one
from fuzz.reduction import Reduced

LONGEST: Final = 12
"""Calls."""

SAMPLE: Final = tuple(FAULTS)[5::19]
"""A full gate tries all."""


def test_every_fault_has_a_length_and_none_is_long() -> None:
    assert LENGTHS.keys() == FAULTS.keys()
    assert min(LENGTHS.values()) >= 1
    assert max(LENGTHS.values()) <= LONGEST


@pytest.mark.parametrize("name", SAMPLE)
def test_no_more_calls_are_needed_than_were_enough(name: str) -> None:
    trial = try_one(FAULTS[name], trial_setups())
    assert trial.verdict == "caught"
    assert list(grown([trial])) == []


def _trial(name: str) -> Trial:
    return try_one(FAULTS[name], trial_setups(), hunts=(1, 20))


def test_a_longer_script_and_one_without_a_record_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "withheld-pages-are-handed-out"
    trial = _trial(name)
    assert trial.shrunk is not None
    longer = replace(trial, shrunk=LENGTHS[name] + 1)
    assert list(grown([longer])) == [
        f"{name}: {LENGTHS[name] + 1} calls are needed to show it, and {LENGTHS[name]} were enough"
    ]
    monkeypatch.delitem(LENGTHS, name)
    assert list(grown([trial])) == [f"{name}: {trial.shrunk} calls show it, and no length is on record"]


def test_a_reduction_that_leaves_everything_as_it_is_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "reduced", lambda calls, *_: Reduced(tuple(calls), 0, cut_short=False))
    assert [line.partition(":")[0] for line in grown([_trial("free-ignores-holders")])] == ["free-ignores-holders"]
