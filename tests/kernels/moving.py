"""What is right of a move, by its definition."""

import torch

from impl.kernels.moves import move_pages
from tests.kernels.arenas import bytes_of, ids, random_grid
from tests.kernels.lanes import Lane

PAIRS = [(1, 0), (3, 2), (5, 4), (6, 7)]
"""Sources and targets among eight pages: the first and the last are written."""


def check_moves(lane: Lane, page_bytes: int, origin: int = 0, slack: int = 0) -> None:
    """The targets hold what the sources held, and no other byte of the arena has changed."""
    grid = random_grid(lane, origin, page_bytes, 8, slack)
    expected = grid.arena.clone()
    for source, target in PAIRS:
        begin = origin + target * page_bytes
        expected[begin : begin + page_bytes] = bytes_of(grid, source)
    sources, targets = (ids(lane, list(pages)) for pages in zip(*PAIRS, strict=True))
    move_pages(grid, sources, targets, lane=lane.takes)
    assert torch.equal(grid.arena, expected)
