import pytest

from fuzz.engine.kinds import KINDS
from fuzz.floors import unexercised
from fuzz.machine import run_machine
from fuzz.naming import script_of
from fuzz.playing import play
from fuzz.seeded import live, operations_of, run_seeded
from fuzz.setups import TOYS, setup_names, setup_of
from fuzz.stage import Stage
from fuzz.targets.own import OWN
from fuzz.watch import CLOSELY, FROM_OUTSIDE, IN_PASSING


@pytest.mark.parametrize("name", setup_names())
def test_the_allocator_withstands_the_seeded_driver(name: str) -> None:
    run = run_seeded([setup_of(name)], 11, calls=1000)
    assert run.failure is None
    assert run.calls >= 1000
    assert run.coverage.page_actions > run.calls


@pytest.mark.parametrize("name", ["toy-four", "toy-window-full", "inkling-small", "gpt-oss-20b"])
def test_the_allocator_withstands_the_state_machine(name: str) -> None:
    run = run_machine(setup_of(name), 11, examples=20, steps=40)
    assert run.failure is None
    assert run.calls > 300
    assert run.coverage.actions["hold"] > 50


def test_a_run_of_some_thousand_calls_exercises_everything() -> None:
    run = run_seeded([setup_of(name) for name in TOYS], 3, calls=20_000)
    assert run.failure is None
    assert unexercised(run.coverage) == ()


def test_an_idle_run_has_exercised_nothing() -> None:
    missing = unexercised(run_seeded([setup_of("toy-three")], 3, calls=0).coverage)
    assert {"action move", "call allocate: never", "operation admit"} <= set(missing)


def test_a_run_without_a_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="budget"):
        run_seeded([setup_of("toy-three")], 1)


@pytest.mark.parametrize("name", ["toy-three-windows", "gemma-4-31b"])
def test_the_same_seed_gives_the_same_events(name: str) -> None:
    def trace(life: int) -> list[object]:
        stage = Stage(OWN, setup_of(name), IN_PASSING, keep_records=True)
        assert live(stage, operations_of(5, life))[1] is None
        return list(stage.records or ())

    assert trace(0) == trace(0)
    assert len(trace(0)) > 100
    assert trace(0) != trace(1)


def test_the_state_machine_does_the_same_twice() -> None:
    first, second = (run_machine(setup_of("toy-three"), 2, examples=10) for _ in range(2))
    assert (first.calls, first.coverage) == (second.calls, second.coverage)


def test_a_life_played_from_its_script_writes_the_same_trace() -> None:
    for life in range(2):
        stage = Stage(OWN, setup_of("toy-four"), CLOSELY, keep_records=True)
        live(stage, operations_of(9, life))
        again = Stage(OWN, setup_of("toy-four"), FROM_OUTSIDE, keep_records=True)
        play(script_of(stage.log), again)
        assert again.records == stage.records


def test_any_beginning_and_any_end_of_a_script_can_be_played() -> None:
    stage = Stage(OWN, setup_of("toy-three"), FROM_OUTSIDE)
    live(stage, operations_of(4, 0))
    calls = script_of(stage.log)
    assert len(calls) > 60
    for cut in range(0, len(calls), len(calls) // 6):
        play(calls[:cut], Stage(OWN, setup_of("toy-three"), CLOSELY))
        play(calls[cut:], Stage(OWN, setup_of("toy-three"), CLOSELY))


def test_every_operation_says_what_it_does() -> None:
    assert len(KINDS) >= 25
    assert all(kind.prose.endswith(".") and kind.weight > 0 for kind in KINDS.values())
