"""A run that is done twice from its seed is the same, event for event; and where it is not, that is seen."""

import pytest

from fuzz.campaign.unit import run_unit
from fuzz.campaign.work import Unit
from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import SIMULATED
from tests.fuzz.campaigns import plan
from tests.fuzz.twice import (
    events_of_a_life,
    events_of_the_machine,
    first_difference,
    something_that_remembers,
)

TARGETS = pytest.mark.parametrize("target", [OWN, SIMULATED], ids=lambda target: target.name)


@TARGETS
def test_a_life_of_the_driver_is_the_same_twice(target: Target) -> None:
    assert first_difference(lambda: events_of_a_life(target, "toy-four")) is None


@TARGETS
def test_the_examples_of_the_state_machine_are_the_same_twice(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    assert first_difference(lambda: events_of_the_machine(monkeypatch, target, "toy-three")) is None


@TARGETS
def test_what_depends_on_more_than_the_seed_is_seen(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    with something_that_remembers(monkeypatch):
        assert first_difference(lambda: events_of_a_life(target, "toy-four")) is not None
        assert first_difference(lambda: events_of_the_machine(monkeypatch, target, "toy-three")) is not None


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("target", ["bandgap", "bandgap-simulated"])
def test_a_unit_of_a_campaign_comes_to_the_same_twice(target: str, index: int) -> None:
    here = plan(target=target, fault=None, unit_calls=600)
    once, again = (run_unit(here, Unit(0, index)) for _ in range(2))
    assert once.calls > 100
    assert _untimed(once) == _untimed(again)


def test_a_unit_that_does_something_else_the_second_time_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    here = plan(fault=None, unit_calls=600)
    once = run_unit(here, Unit(0, 0))
    with something_that_remembers(monkeypatch):
        assert _untimed(once) != _untimed(run_unit(here, Unit(0, 0)))


def _untimed(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__struct_fields__ if name != "seconds"}  # type: ignore[attr-defined]  # it is a record
