"""What of the specification is exercised, how it is counted, and that each floor can be missed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bandgap.documents.formulas.reading import Printing
from bandgap.exits import Exit
from bandgap.gate.evidence import Canary, Count, Evidence
from bandgap.gate.lane import Lane, LaneResult
from bandgap.gate.lanes import fuzzing
from bandgap.gate.lanes.fuzzing import DEVICE, DRIVER, MACHINE
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done, Task
from bandgap.gate.verdict import Answer, reasons_of_lane
from fuzz.boundaries import ALL_WITHHELD, BOUNDARIES, CLOSED_OVER_HOLES, EMPTY, FULL, ID_AGAIN, LAST_ID
from fuzz.coverage import Coverage
from fuzz.engine.kinds import KINDS
from fuzz.floors import (
    CALL_PAIRS,
    DIFFERENT,
    NOT_OFFENDED,
    REJECTIONS,
    campaign_floors,
    can_follow,
    floors,
    reached,
    unexercised,
)
from fuzz.seeded import run_seeded
from fuzz.setups import TOYS, setup_of
from fuzz.stage import Stage
from fuzz.targets.own import OWN
from fuzz.watch import CLOSELY
from properties.specification import SPECIFICATIONS
from spec.specification import ACTIONS

DRIVERS_OWN = (
    "issue",
    "land",
    "hold",
    "complete",
    "settle",
    "drain",
    "publish",
    "unpublish",
    "share",
    "unshare",
    "free",
)
CANARY = Canary("a fault", "content", "content")


def test_every_sentence_that_a_call_can_offend_is_asked_for_or_excused() -> None:
    printing = Printing(SPECIFICATIONS[0].signature)
    sentences = {(name, text) for name in DRIVERS_OWN for text, _, _ in printing.guard(ACTIONS[name])}
    assert sentences <= {*REJECTIONS, *NOT_OFFENDED}
    assert NOT_OFFENDED.keys() <= sentences
    assert not NOT_OFFENDED.keys() & set(REJECTIONS)


def test_nothing_happens_that_nobody_counts_on() -> None:
    coverage = run_seeded([setup_of(name) for name in TOYS], 21, calls=3_000).coverage
    assert all(can_follow(*pair) for pair in coverage.pairs)
    assert coverage.rejections.keys() <= set(REJECTIONS)
    assert coverage.boundaries.keys() <= set(BOUNDARIES)
    assert coverage.calls.keys() <= set(CALL_PAIRS)


def test_what_was_never_exercised_is_named() -> None:
    nothing = {each.part.what: each for each in reached({})}
    assert {each.number for each in nothing.values()} == {0}
    assert "rejected hold: writing needs a sole reference" in nothing["reasons why calls are rejected"].never
    assert "pair free, allocate" in nothing["pairs of page actions"].never
    some = {each.part.what: each for each in reached({"action move": 3, "boundary the arena is full": 1})}
    assert (some["page actions"].number, some["boundary states"].number) == (1, 1)


# -------------------------------------------------------------------------------------------------------- the states


def _stage() -> Stage:
    return Stage(OWN, setup_of("toy-state-full"), CLOSELY)


def test_boundaries_are_seen_where_they_are() -> None:
    stage = _stage()
    assert stage.drain()
    assert stage.coverage().boundaries == {EMPTY: 1}
    most = 0
    while stage.would_fit([0, most + 1]):
        most += 1
    given = stage.allocate([0, most])
    assert isinstance(given, list)
    ticket = stage.open("transfer")
    assert ticket is not None
    assert stage.hold(ticket, 1, given[1], "read")
    assert CLOSED_OVER_HOLES not in stage.coverage().boundaries
    assert ALL_WITHHELD not in stage.coverage().boundaries
    assert stage.release(1, given[1])
    seen = stage.coverage().boundaries
    assert {EMPTY, ALL_WITHHELD, LAST_ID} <= seen.keys()
    assert not {ID_AGAIN, CLOSED_OVER_HOLES} & seen.keys()
    assert stage.complete(ticket)
    assert isinstance(stage.allocate([0, 1]), list)
    assert stage.coverage().boundaries[ID_AGAIN] == 1


def test_an_arena_is_full_when_no_page_of_any_kind_fits_and_has_no_hole() -> None:
    stage = _stage()
    most = 0
    while stage.would_fit([0, most + 1]):
        assert FULL not in stage.coverage().boundaries
        most += 1
    given = stage.allocate([0, most])
    assert isinstance(given, list)
    assert stage.coverage().boundaries[FULL] == 1
    assert stage.publish("peer")
    assert stage.coverage().boundaries[FULL] == 2
    assert CLOSED_OVER_HOLES not in stage.coverage().boundaries
    assert stage.release(1, given[1][1:2])
    assert stage.coverage().boundaries[FULL] == 2
    assert stage.coverage().boundaries[CLOSED_OVER_HOLES] == 1


def test_a_misuse_is_counted_by_the_sentence_that_it_offends_and_is_no_action() -> None:
    stage = _stage()
    given = stage.allocate([0, 1])
    assert isinstance(given, list)
    assert stage.share(1, given[1])
    ticket = stage.open("forward", "compute")
    assert ticket is not None
    assert not stage.hold(ticket, 1, given[1], "write")
    coverage = stage.coverage()
    assert coverage.rejections == {("hold", "writing needs a sole reference"): 1}
    assert coverage.pairs[("allocate", "share")] == 1
    assert not any("hold" in pair for pair in coverage.pairs)
    assert coverage.calls[("open", "hold")] == 1


# -------------------------------------------------------------------------------------------------------- the floors


def _settings(folder: Path, *, quick: bool) -> Settings:
    return Settings("bandgap", quick, 1, 1, folder, None)


def _enough(least: Mapping[str, int]) -> dict[str, int]:
    """A run that just meets all floors."""
    times = {what: floor for what, floor in least.items() if what not in DIFFERENT}
    for what, beginning in DIFFERENT.items():
        times |= {f"{beginning}{number}, {number}": 1 for number in range(least[what])}
    return times


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("lane", [MACHINE, DRIVER, DEVICE], ids=lambda lane: lane.name)
def test_each_floor_of_a_lane_can_be_missed(lane: Lane, quick: bool, tmp_path: Path) -> None:
    least = lane.floors(_settings(tmp_path, quick=quick))
    asked = {what: floor for what, floor in least.items() if floor}
    assert len(asked) > (20 if quick or lane is DEVICE else 150)
    enough = _enough(least)

    def missed(times: Mapping[str, int]) -> list[str]:
        evidence = Evidence((Count("calls", 9, 1),), tuple(times.items()), canaries=(CANARY,))
        reasons = reasons_of_lane(evidence, least)
        assert {reason.answer for reason in reasons} <= {Answer.INCONCLUSIVE}
        return [reason.text for reason in reasons]

    assert missed(enough) == []
    for what, floor in asked.items():
        gone = next(name for name in enough if name.startswith(DIFFERENT[what])) if what in DIFFERENT else what
        (text,) = missed({**enough, gone: enough[gone] - 1})
        assert text.startswith(f"too little was exercised: {what}, {floor - 1:,} times")


@pytest.mark.parametrize("calls", [1_000, 5_000_000])
def test_each_floor_of_a_campaign_can_be_missed_and_a_larger_one_must_do_more(calls: int) -> None:
    asked = campaign_floors(calls)
    assert unexercised(Coverage(), calls) == tuple(asked)
    assert all(asked[what] >= least >= 1 for what, least in campaign_floors(0).items())
    assert (asked["action move"] == 1) == (calls == 1_000)


@pytest.mark.parametrize("removed", ["malformed", "decode"])
def test_a_lane_whose_driver_lacks_an_operation_is_inconclusive(
    removed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzing, "QUICK", replace(fuzzing.QUICK, calls=1_500))
    settings = _settings(tmp_path, quick=True)

    def result() -> LaneResult:
        evidence = [fuzzing.driver(name, settings, lambda *_: None) for name in ("toy-three",)]
        task = Task("driver", "toy", fuzzing.driver_canary, 1.0)
        done = [Done(task, replace(each, canaries=(CANARY,)), 1.0) for each in evidence]
        return LaneResult("driver", "", tuple(done), floors(1, 0, 80, 80) | {f"operation {removed}": 1})

    assert result().answer is Answer.HOLDS
    monkeypatch.setitem(KINDS, removed, replace(KINDS[removed], weight=0))
    lacking = result()
    assert lacking.answer is Answer.INCONCLUSIVE
    assert lacking.answer.exit is Exit.INCONCLUSIVE
    assert any(f"operation {removed}, 0 times" in reason.text for reason in lacking.reasons)
