"""What operations are chosen, of whom, in which order devices work, and on which sizes."""

from dataclasses import replace

import pytest

from fuzz.engine.engine import HOT, Engine
from fuzz.engine.kinds import KINDS
from fuzz.engine.request import Request
from fuzz.floors import can_follow
from fuzz.seeded import absent_from, operations_of, run_seeded
from fuzz.setups import setup_of, small_names
from fuzz.simulated.schedule import AT_ONCE, SORTS, Schedule
from fuzz.stage import Stage
from fuzz.swarm import EMPHASES, switched_off, weights_of
from fuzz.targets.own import OWN
from fuzz.watch import CLOSELY

AGENTS = ("compute", "host", "transfer 1", "transfer 2")


def test_what_is_switched_off_in_a_life_is_not_done_there_and_differs_from_life_to_life() -> None:
    lives = range(12)
    for life in lives:
        done = {name for name, _ in operations_of(3, life)} - {"one-kind"}
        assert done.isdisjoint(absent_from(3, life))
    absent = {absent_from(3, life) for life in lives}
    assert len(absent) == len(lives)
    assert len({name for each in absent for name in each}) > len(KINDS) / 2


def test_a_life_with_nearly_everything_switched_off_still_begins_requests() -> None:
    nothing = weights_of(KINDS, [EMPHASES.index(0)] * len(KINDS))
    assert switched_off(nothing) == tuple(name for name in KINDS if name != "admit")
    everything = weights_of(KINDS, [EMPHASES.index(1)] * len(KINDS))
    assert switched_off(everything) == ()


def test_half_of_all_draws_are_of_the_few_hot_requests() -> None:
    engine = Engine(Stage(OWN, setup_of("toy-three"), CLOSELY))
    engine.requests = [Request(0, [], []) for _ in range(20)]
    places = [engine.requests.index(engine.request(draw)) for draw in range(0, 1 << 16, 97)]
    assert len(set(places)) == 20
    assert sum(place < HOT for place in places) > len(places) / 2


@pytest.mark.parametrize("choice", range(8))
def test_each_sort_of_schedule_takes_what_it_says(choice: int) -> None:
    def taken(sort: str, number: int = 0) -> str:
        return AGENTS[Schedule(sort, number).chosen(choice, AGENTS)]

    assert not taken("transfers last").startswith("transfer")
    assert taken("transfers first").startswith("transfer")
    assert [taken("one stream starves", number) == starved for number, starved in enumerate(AGENTS)] == [False] * 4
    # who alone can get on does
    assert Schedule("one stream starves").chosen(choice, AGENTS[:1]) == 0
    assert Schedule("transfers last").chosen(choice, AGENTS[2:]) == choice % 2
    assert {Schedule(sort).pieces(3) for sort in SORTS} == {0, 3, AT_ONCE}


def test_pages_of_all_small_sizes_meet_and_the_allocator_withstands_them() -> None:
    sizes = {tuple(kind.page_bytes for kind in setup_of(name).layout.kinds) for name in small_names()}
    assert len(sizes) == 27
    run = run_seeded([setup_of(name) for name in small_names()[::4]], 5, calls=2_000)
    assert run.failure is None
    assert run.lives >= 4
    with pytest.raises(KeyError):
        setup_of("small-1-2-9")


@pytest.mark.parametrize("name", ["fill-up", "flip-the-gate", "retire-all", "abort-while-launching", "leave-holes"])
def test_what_is_hostile_does_something_and_breaks_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in set(KINDS) - {name, "admit", "launch", "receive", "leave-holes"}:
        monkeypatch.setitem(KINDS, other, KINDS[other].__class__(other, KINDS[other].prose, 0, KINDS[other].act))
    run = run_seeded([setup_of("toy-three")], 2, calls=800)
    assert run.failure is None
    assert sum(times for (done, _), times in run.coverage.operations.items() if done == name) > 3


def test_what_a_long_run_never_met_is_met_on_purpose(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"keep-copies", "begin-windows-again", "admit", "launch", "leave-holes", "share-prefix", "finish", "compact"}
    for other in KINDS.keys() - few:
        monkeypatch.setitem(KINDS, other, replace(KINDS[other], weight=0))
    run = run_seeded([setup_of("toy-four"), setup_of("toy-three-windows")], 1, calls=8_000)
    assert run.failure is None
    rare = {("fork", "hold"), ("fork", "share"), ("fork", "appear"), ("share", "appear"), ("appear", "appear")}
    assert rare <= run.coverage.pairs.keys()
    assert all(can_follow(*pair) for pair in run.coverage.pairs)
