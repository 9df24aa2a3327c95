"""The places of a grid: who shares what with whom, and who must agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from impl.misuse import Misuse
from impl.serving.engine.mixers.attention import attended
from impl.serving.engine.rank import Rank
from impl.serving.parallel.grid import Grid, grid_of


@dataclass
class Named:
    """A group that knows who is in it, and talks to nobody."""

    rank: Rank
    members: list[int]

    def part(self, parts: Sequence[Sequence[int]]) -> "Named":
        """See `Group.part`."""
        assert sorted(number for part in parts for number in part) == self.members, "each is in one part"
        (own,) = [list(part) for part in parts if self.rank.number in part]
        return Named(Rank(own.index(self.rank.number), len(own)), own)

    def total(self, partial: Any) -> Any:
        """See `Group.total`."""
        raise NotImplementedError


def place_of(number: int, count: int, **extents: int) -> Grid:
    group: Any = Named(Rank(number, count), list(range(count)))
    return grid_of(group, **extents)


def members(group: Any) -> list[int] | None:
    return None if group is None else group.members


def test_neighbours_share_heads_and_all_ranks_with_the_same_requests_agree() -> None:
    grid = place_of(3, 4, layers=2, heads=2)
    assert (members(grid.layers), members(grid.heads)) == ([1, 3], [2, 3])
    assert (grid.tokens, grid.requests) == (None, None)
    assert members(grid.together) == [0, 1, 2, 3]
    assert grid.stage == " of stage 1"


def test_replicas_agree_on_nothing_with_each_other() -> None:
    grid = place_of(2, 4, requests=2, tokens=2)
    assert (members(grid.requests), members(grid.tokens), members(grid.together)) == ([0, 2], [2, 3], [2, 3])
    assert grid.stage == ""


def test_all_four_ways_at_once_are_lines_of_sixteen_ranks() -> None:
    grid = place_of(5, 16, requests=2, layers=2, tokens=2, heads=2)
    assert members(grid.requests) == [5, 13]
    assert members(grid.layers) == [1, 5]
    assert members(grid.tokens) == [5, 7]
    assert members(grid.heads) == [4, 5]
    assert members(grid.together) == list(range(8))
    assert [group and group.rank.number for group in (grid.requests, grid.layers, grid.tokens, grid.heads)] == [
        0,
        1,
        0,
        1,
    ]


def test_work_is_shared_as_the_lines_of_a_rank_have_it() -> None:
    alone = place_of(0, 2, layers=2).shared()
    assert (alone.rank, alone.attend, alone.in_block) == (Rank(), attended, None)
    both = place_of(1, 4, tokens=2, heads=2).shared()
    assert both.rank == Rank(1, 2)
    assert both.attend is not attended
    assert both.in_block is not None


def test_a_grid_has_as_many_places_as_there_are_ranks() -> None:
    with pytest.raises(Misuse, match="a grid of 1 by 2 by 1 by 3 for 4 ranks"):
        place_of(0, 4, layers=2, heads=3)
