"""What is right of a move, by its definition."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import torch

from fuzz.kernels.agreeing import agree
from fuzz.kernels.arenas import bytes_of, ids, random_grid
from fuzz.kernels.lane import Lane
from impl.kernels.grid import PageGrid
from impl.kernels.moves import move_pages
from impl.kernels.twins import moving

Move: TypeAlias = Callable[[PageGrid, torch.Tensor, torch.Tensor], None]
"""Moves pages from sources to targets."""

Pair: TypeAlias = tuple[int, int]
"""A source and a target."""
PAIRS: Final[Sequence[Pair]] = [(1, 0), (3, 2), (5, 4), (6, 7)]
"""Among eight pages, of which the first and the last are written."""

SIZES: Final = (16, 48, 4096, 65552)
"""Bytes of pages that the twin moves on a device."""


def check_moves(
    lane: Lane,
    page_bytes: int,
    origin: int = 0,
    slack: int = 0,
    pages: int = 8,
    pairs: Sequence[Pair] = PAIRS,
    move: Move | None = None,
) -> None:
    """The targets hold what the sources held, and no other byte of the arena has changed.

    Args:
        lane: which moves, unless `move` does.
        page_bytes: of each page.
        origin: bytes below the pages.
        slack: bytes above them.
        pages: how many there are.
        pairs: to be moved.
        move: what moves them in place of the lane.
    """
    grid = random_grid(lane, origin, page_bytes, pages, slack)
    expected = grid.arena.clone()
    for source, target in pairs:
        begin = origin + target * page_bytes
        expected[begin : begin + page_bytes] = bytes_of(grid, source)
    sources, targets = (ids(lane, list(numbers)) for numbers in zip(*pairs, strict=True))
    (move or partial(move_pages, lane=lane.takes))(grid, sources, targets)
    agree("byte", grid.arena, expected)


def check_twin_on_device(lane: Lane) -> int:
    """The twin's moves are right where only torch reaches the pages; how many sizes of pages were moved."""
    for page_bytes in SIZES:
        check_moves(lane, page_bytes, 4112, 32, move=partial(move_pages, lane="twin"))
        check_moves(lane, page_bytes, 4112, 32, move=lambda grid, *pairs: moving.move_on_device(grid.pages, *pairs))
    return len(SIZES)
