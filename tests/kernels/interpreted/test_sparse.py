"""Offsets beyond 32 bits, on a machine whose memory is smaller than the arena."""

import resource

from fuzz.kernels.arenas import bytes_of, ids
from fuzz.kernels.far import ARENA_BYTES, check_far_moves, far_grid
from impl.kernels.canaries import Canary, check_canary, fill_canary
from impl.kernels.fills import poison_pages
from tests.kernels.lanes import Lane


def test_pages_move_to_and_from_the_far_end(lane: Lane) -> None:
    check_far_moves(lane)


def test_the_far_end_is_filled_and_checked(lane: Lane) -> None:
    grid = far_grid()
    last = ids(lane, [grid.limit - 1])
    fill_canary(grid, last, Canary(1, 1), lane=lane.takes)
    assert check_canary(grid, last, Canary(1, 1), lane=lane.takes).tolist() == [[0, -1]]
    poison_pages(grid, last, lane=lane.takes)
    assert (bytes_of(grid, grid.limit - 1) == 0xFF).all()
    assert not bytes_of(grid, 0).any()


def test_a_sparse_arena_takes_no_memory_but_for_what_is_written(lane: Lane) -> None:
    check_far_moves(lane)
    # kibibytes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < ARENA_BYTES // 16 >> 10
