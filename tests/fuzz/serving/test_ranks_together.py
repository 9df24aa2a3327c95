"""Ranks of one process: they take turns, hear of ends late, and say the same as one process alone."""

import random

import pytest
import torch

from fuzz.serving.driver import run_seeded
from fuzz.serving.hesitant import Hesitant, frankly
from fuzz.serving.living import do, end, lived
from fuzz.serving.operations import Operation
from fuzz.serving.ranks_together import together
from fuzz.serving.scene import Scene, Shares
from fuzz.serving.stage import Stage
from fuzz.violation import Violation
from impl.serving.engine.rank import Rank
from impl.serving.parallel.group import RankLost
from tests.fuzz.serving.found_ranks import MET, NOT_MET, declared, in_force, life

ASKED = (
    Operation("ask", (0, 4, 0, 2)),
    Operation("ask", (1, 9, 0, 5)),
    Operation("serve", (3, 7, 5, 0)),
    Operation("compact", (0, 11, 0, 0)),
    Operation("preempt", (0, 0, 0, 0)),
    Operation("serve", (3, 7, 5, 0)),
)


def test_every_call_of_a_group_is_answered_alike_on_all_ranks() -> None:
    turns, groups = together(3, "calls")

    def do_all(number: int) -> list[object]:
        group = groups[number]
        if number:
            group.send(torch.tensor([float(number)], dtype=torch.float64), 0)
            received = []
        else:
            received = [group.receive((1,), rank).item() for rank in (2, 1)]
        return [
            group.total(torch.tensor([number + 1.0])).item(),
            group.largest(torch.tensor([number, -number])).tolist(),
            group.numbers([number, 7]),
            group.things({"rank": number}),
            group.from_one(torch.tensor([number]), 1).item(),
            received,
        ]

    first, *others = turns.all(do_all)
    assert first[:-1] == [6.0, [2, 0], [[0, 7], [1, 7], [2, 7]], [{"rank": 0}, {"rank": 1}, {"rank": 2}], 1]
    assert first[-1] == [2.0, 1.0]
    assert all(other[:-1] == first[:-1] for other in others)


def test_ranks_reach_a_call_in_an_order_that_the_seed_decides() -> None:
    def order(seed: int) -> list[int]:
        reached: list[int] = []
        turns, groups = together(3, seed)

        def do_all(number: int) -> None:
            for _ in range(6):
                reached.append(number)
                groups[number].numbers([number])

        turns.all(do_all)
        return reached

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(5)}) > 1
    assert all(sorted(order(1)[at : at + 3]) == [0, 1, 2] for at in (0, 3, 6))


def test_a_rank_that_takes_no_part_is_lost_at_once() -> None:
    turns, groups = together(3, 1)
    with pytest.raises(RankLost) as lost:
        turns.all(lambda number: number == 1 or groups[number].numbers([number]))
    assert lost.value.lost == (1,)


def test_what_a_rank_raises_is_raised_and_not_that_others_miss_it() -> None:
    turns, groups = together(2, 1)

    def do_all(number: int) -> None:
        if number:
            raise KeyError(number)
        groups[number].numbers([number])

    with pytest.raises(KeyError):
        turns.all(do_all)


def test_ranks_that_are_to_make_different_calls_are_told_so() -> None:
    turns, groups = together(2, 1)
    with pytest.raises(ValueError, match="are to make the same call"):
        turns.all(lambda number: groups[number].things(1) if number else groups[number].numbers([1]))


@pytest.mark.parametrize(("ranks", "shares"), [(2, "heads"), (3, "tokens"), (2, "layers"), (3, "requests")])
def test_ranks_say_what_one_process_says_and_leave_nothing(ranks: int, shares: Shares) -> None:
    interval = 24 if shares == "tokens" else 8
    scene = Scene(pattern="qwen3-next-80b-a3b", ranks=ranks, shares=shares, interval=interval)  # type: ignore[arg-type]
    life = lived(scene, ASKED)
    assert life.violation is None
    assert life.jobs == 2
    assert life == lived(scene, ASKED)


def test_a_life_of_ranks_from_a_seed_breaks_nothing() -> None:
    run = run_seeded("ranks", lives=3, sorts=["ranks"], lengths=[20])
    assert run.failure is None
    assert run.jobs > 0


def test_shares_are_everything_together_and_nothing_twice() -> None:
    for of in (2, 3, 5):
        for count in (of, 7, 64):
            shares = [range(count)[Rank(number, of).heads(count)] for number in range(of)]
            assert [one for share in shares for one in share] == list(range(count))


@pytest.mark.parametrize("name", MET)
def test_a_fault_of_the_last_rank_is_met_and_has_the_name_of_its_check(name: str) -> None:
    with in_force(name):
        violation = life(*MET[name]).violation
    assert violation is not None
    assert violation.property == declared()[name].property


def test_every_fault_of_ranks_is_met_or_it_is_said_why_not() -> None:
    assert MET.keys() | NOT_MET.keys() == declared().keys()
    assert not MET.keys() & NOT_MET.keys()


def test_what_comes_to_something_else_on_a_rank_is_seen() -> None:
    stage = Stage(Scene(ranks=2))
    with pytest.raises(Violation, match="rank-agreement"):
        stage.each(stage.served, lambda one: one is stage.served)


def test_what_one_rank_is_asked_for_alone_is_seen() -> None:
    stage = Stage(Scene(ranks=2))
    do(stage, ASKED[0])
    stage.engines[1].engine.submit([1, 2, 3], 2)
    with pytest.raises(Violation, match="rank-"):
        end(stage)


def test_a_device_that_hesitates_tells_of_its_ends_in_order_and_frankly_at_once() -> None:
    runtime = Hesitant(random.Random(1))
    events = [runtime.record("compute") for _ in range(20)]
    told = [runtime.is_done(event) for event in events]
    assert not all(told)
    latest = max(at for at, one in enumerate(told) if one)
    assert all(runtime.is_done(event) for event in events[: latest + 1])
    with frankly(runtime):
        assert all(runtime.is_done(event) for event in events)
    assert not runtime.is_frank
