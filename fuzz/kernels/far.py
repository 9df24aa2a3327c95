"""Moves at the far end of an arena of 64 GiB."""

import torch

from fuzz.interpreter.sparse import sparse_arena
from fuzz.kernels.agreeing import agree
from fuzz.kernels.arenas import bytes_of, ids
from fuzz.kernels.lane import Lane
from impl.kernels.grid import PageGrid
from impl.kernels.moves import move_pages

ARENA_BYTES = 64 << 30
PAGE_BYTES = 1 << 16


def far_grid() -> PageGrid:
    """Pages of 64 KiB; the offset of the last has 33 bits in words, and 37 in bytes."""
    return PageGrid(sparse_arena(ARENA_BYTES), 256, PAGE_BYTES)


def check_far_moves(lane: Lane) -> None:
    """The last page of the arena gets the bytes of the first, and the second those of the last but one."""
    grid = far_grid()
    last = grid.limit - 1
    for page in (0, last - 1):
        bytes_of(grid, page).random_(generator=torch.Generator().manual_seed(page))
    low, high = bytes_of(grid, 0).clone(), bytes_of(grid, last - 1).clone()
    move_pages(grid, ids(lane, [0, last - 1]), ids(lane, [last, 1]), lane=lane.takes)
    agree("byte of the last page", bytes_of(grid, last), low)
    agree("byte of page 1", bytes_of(grid, 1), high)
    agree("byte of page 2", bytes_of(grid, 2), torch.zeros(PAGE_BYTES, dtype=torch.uint8))
