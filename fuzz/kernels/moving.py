"""What is right of a move, by its definition."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from fuzz.kernels.agreeing import agree
from fuzz.kernels.arenas import bytes_of, ids, random_grid
from fuzz.kernels.lane import Lane
from impl.kernels.moves import move_pages

Pair: TypeAlias = tuple[int, int]
"""A source and a target."""
PAIRS: Final[Sequence[Pair]] = [(1, 0), (3, 2), (5, 4), (6, 7)]
"""Among eight pages, of which the first and the last are written."""


def check_moves(
    lane: Lane, page_bytes: int, origin: int = 0, slack: int = 0, pages: int = 8, pairs: Sequence[Pair] = PAIRS
) -> None:
    """The targets hold what the sources held, and no other byte of the arena has changed."""
    grid = random_grid(lane, origin, page_bytes, pages, slack)
    expected = grid.arena.clone()
    for source, target in pairs:
        begin = origin + target * page_bytes
        expected[begin : begin + page_bytes] = bytes_of(grid, source)
    sources, targets = (ids(lane, list(numbers)) for numbers in zip(*pairs, strict=True))
    move_pages(grid, sources, targets, lane=lane.takes)
    agree("byte", grid.arena, expected)
