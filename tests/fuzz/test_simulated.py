"""The driver whose device works later."""

from functools import partial

import pytest

from fuzz.faults.all import FAULTS
from fuzz.faults.trial import try_one
from fuzz.machine import run_machine
from fuzz.naming import script_of
from fuzz.pasted import pasted
from fuzz.playing import play
from fuzz.reproduction import decoded, encoded, played_again
from fuzz.seeded import live, operations_of, run_seeded
from fuzz.setups import setup_names, setup_of
from fuzz.simulated import schedule
from fuzz.simulated.stage import SimulatedStage
from fuzz.simulated.work import SORTS
from fuzz.targets.simulated import SIMULATED, SimulatedTarget
from fuzz.violation import Violation
from fuzz.watch import CLOSELY, FROM_OUTSIDE
from impl.device.simulated.runtime import SimulatedRuntime

KEEPING = SimulatedTarget(runtime=partial(SimulatedRuntime, keep=True))


def _stage(setup: str = "toy-three") -> SimulatedStage:
    return SimulatedStage(KEEPING, setup_of(setup), CLOSELY, keep_records=True)


def _given(stage: SimulatedStage, *demand: int) -> list[list[int]]:
    given = stage.allocate(demand)
    assert isinstance(given, list)
    return given


def _opened(stage: SimulatedStage, stream: str, waits: tuple[int, ...] = ()) -> int:
    ticket = stage.open("forward", stream, waits)
    assert ticket is not None
    return ticket


def _done(stage: SimulatedStage) -> list[tuple[str, str, tuple[str, ...]]]:
    assert isinstance(stage.runtime, SimulatedRuntime)
    return stage.runtime.done


@pytest.mark.parametrize("name", setup_names())
def test_nothing_races_on_a_device_that_works_later(name: str) -> None:
    run = run_seeded([setup_of(name)], 11, target=SIMULATED, calls=600)
    assert run.failure is None
    assert run.excused == 0
    outcomes = run.coverage.outcomes
    assert sum(outcomes["work", sort] for sort in SORTS) > 50
    assert outcomes["advance", "done"] > 50


def test_the_state_machine_drives_it_too() -> None:
    run = run_machine(setup_of("toy-four"), 3, target=SIMULATED, examples=20, steps=25)
    assert run.failure is None
    assert run.coverage.outcomes["advance", "done"] > 50


def test_every_sort_of_work_is_done() -> None:
    run = run_seeded([setup_of("toy-three"), setup_of("toy-four")], 4, target=SIMULATED, calls=5000)
    assert run.failure is None
    assert all(run.coverage.outcomes["work", sort] for sort in SORTS)
    assert all(run.coverage.outcomes["schedule", sort] for sort in schedule.SORTS)


def test_the_same_seed_does_the_same_work_in_the_same_order_and_another_does_not() -> None:
    def done(life: int) -> tuple[object, ...]:
        stage = _stage("toy-four")
        assert live(stage, operations_of(5, life))[1] is None
        return stage.records, _done(stage), stage.device.arena.numpy().tobytes(), stage.log

    first = done(0)
    assert done(0) == first
    assert len(first[1]) > 40  # type: ignore[arg-type]  # a list
    assert done(4)[1] != first[1]


def test_a_life_played_from_its_script_does_the_same_work() -> None:
    stage = _stage("toy-four")
    live(stage, operations_of(5, 5))
    again = SimulatedStage(KEEPING, setup_of("toy-four"), FROM_OUTSIDE, keep_records=True)
    play(script_of(stage.log), again)
    assert _done(again) == _done(stage)
    assert again.records == stage.records


def test_any_cut_of_a_script_can_be_played() -> None:
    stage = _stage()
    live(stage, operations_of(5, 0))
    calls = script_of(stage.log)
    assert len(calls) > 60
    for cut in range(0, len(calls), len(calls) // 5):
        play(calls[:cut], _stage())
        play(calls[cut:], _stage())


def test_a_write_lands_when_the_device_gets_to_it() -> None:
    stage = _stage()
    (_, ids, _) = _given(stage, 0, 2, 0)
    ticket = _opened(stage, "compute")
    assert stage.hold(ticket, 1, ids, "write")
    stage.issue(ticket, 1, ids)
    assert len(stage.flights) == 2
    while stage.runtime.choices():
        stage.advance(0)
    assert not stage.flights
    assert stage.complete(ticket)
    stage.check_everything()


def test_completing_lets_the_device_do_what_that_needs_and_no_more() -> None:
    stage = _stage()
    (_, ids, (other,)) = _given(stage, 0, 2, 1)
    first, second = _opened(stage, "compute"), _opened(stage, "elsewhere")
    for ticket, band, written in ((first, 1, ids), (second, 2, [other])):
        assert stage.hold(ticket, band, written, "write")
        stage.issue(ticket, band, written)
    assert stage.complete(first)
    assert [flight[0] for flight in stage.flights.values()] == [second]


def test_a_ticket_behind_which_another_was_opened_takes_no_more() -> None:
    stage = _stage()
    (_, ids, _) = _given(stage, 0, 2, 0)
    first, waited = _opened(stage, "compute"), _opened(stage, "elsewhere")
    second = _opened(stage, "compute", (waited,))
    assert not stage.hold(first, 1, ids, "read")
    assert not stage.hold(waited, 1, ids, "read")
    assert stage.hold(second, 1, ids, "read")


def test_a_reader_that_finds_something_else_says_so() -> None:
    stage = _stage()
    (_, (vid,), _) = _given(stage, 0, 1, 0)
    ticket = _opened(stage, "compute")
    assert stage.hold(ticket, 1, [vid], "write")
    stage.issue(ticket, 1, [vid])
    assert stage.complete(ticket)
    reader = _opened(stage, "compute")
    assert stage.hold(reader, 1, [vid], "read")
    touch = stage.device.page_touch(1, stage.state.page_of[1, vid], writes=True)
    stage.device.arena[touch.begin] ^= 1
    with pytest.raises(Violation, match=f"no-foreign-bytes: ticket {reader} reads id {vid}"):
        stage.complete(reader)


LATER = [name for name, fault in FAULTS.items() if fault.target == SIMULATED.name]


def test_there_are_faults_of_each_sort() -> None:
    assert len(LATER) >= 14
    assert {FAULTS[name].property for name in LATER} >= {"race-free", "no-foreign-bytes", "no-host-sync"}


def test_a_failure_on_it_is_saved_pasted_and_made_again() -> None:
    name = "moves-run-on-a-stream-of-their-own"
    failure = try_one(FAULTS[name], [setup_of("toy-state-full")]).failure
    assert failure is not None
    assert "move pages of" in failure.problem
    assert "nothing orders it with" in failure.problem
    found = decoded(encoded(failure))
    with FAULTS[name].apply():
        played = played_again(found, SIMULATED)
        code = compile(pasted(failure, SIMULATED), "pasted", "exec")
        with pytest.raises(Violation, match="race-free"):
            exec(code, {})
    assert played.violation is not None
    assert played.violation.property == "race-free"
    assert played_again(found, SIMULATED).violation is None
    exec(code, {})


def test_the_state_machine_finds_a_race() -> None:
    fault = FAULTS["work-begins-before-the-allocators-stream-is-there"]
    with fault.apply():
        run = run_machine(setup_of("toy-state-full"), 1, target=SIMULATED, examples=50, steps=10, fault=fault.name)
    assert run.failure is not None
    assert run.failure.property == "race-free"
    assert len(run.failure.script) <= 6
