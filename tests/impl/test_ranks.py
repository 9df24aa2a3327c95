"""`rank-agreement`: the same calls and the same completions give the same ids, tables and layout on every rank."""

from random import Random
from typing import Any

import pytest

from tests.impl.ranks import Disagreement, Group, GroupDriver, HastyGroup
from tests.impl.toys import random_layout

RANKS = 4


def run(seed: int, steps: int, kind: type[Group] = Group) -> tuple[Group, list[Any]]:
    """A long random run on four ranks; what they held at each point at which they agreed."""
    rnd = Random(seed)
    layout = random_layout(rnd, 2 + seed % 3)
    sizes = [each.page_bytes for each in layout.kinds]
    group = kind(layout, 256 + 3 * max(sizes) + sum(rnd.randint(3, 12) * size for size in sizes), RANKS, seed)
    driver = GroupDriver(group, rnd)  # type: ignore[arg-type]  # a group takes the same calls
    held = []
    for _ in range(steps):
        group.tick()
        name = driver.step()
        if name == "complete":
            held.append(group.ranks[0].allocator.snapshot())
    driver.finish()
    group.compare()
    return group, held


@pytest.mark.parametrize("seed", range(6))
def test_ranks_whose_devices_differ_in_time_agree_on_everything(seed: int) -> None:
    group, held = run(seed, 10_000)
    assert group.unlike > 2000, "the ranks saw tickets complete at different times"
    assert len(group.told) > 200
    assert len(held) > 200
    statistics = group.ranks[0].allocator.statistics()
    assert sum(statistics.steps.values()) > 100
    assert sum(kind.moved for kind in statistics.kinds) > 0
    assert sum(statistics.refusals.values()) > 0


@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_is_done_again_is_the_same(seed: int) -> None:
    (one, held), (other, again) = run(seed, 3000), run(seed, 3000)
    assert held == again
    assert one.told == other.told
    for rank, its in zip(one.ranks, other.ranks, strict=True):
        assert rank.allocator.snapshot() == its.allocator.snapshot()
        assert rank.allocator.statistics() == its.allocator.statistics()


@pytest.mark.parametrize("seed", range(6))
def test_a_rank_that_completes_on_arrival_is_noticed(seed: int) -> None:
    with pytest.raises(Disagreement):
        run(seed, 10_000, HastyGroup)
