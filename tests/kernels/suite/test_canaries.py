"""Canaries say whose a page is, and find every byte that somebody else wrote."""

import pytest
import torch

from fuzz.kernels.arenas import ids, random_grid
from fuzz.kernels.canaries import CANARY, PAGES, check_filled, check_found, pattern
from impl.kernels.canaries import FIRST, WRONG, Canary, check_canary, fill_canary
from impl.kernels.moves import move_pages
from tests.kernels.lanes import Lane

FLOATS = [torch.float32, torch.bfloat16, torch.float16, torch.float8_e4m3fn]


@pytest.mark.parametrize("page_bytes", [16, 48, 528, 4096, 16400])
def test_filled_pages_hold_the_pattern(lane: Lane, page_bytes: int) -> None:
    check_filled(lane, page_bytes)


def test_a_pattern_may_follow_a_page_by_its_virtual_id(lane: Lane) -> None:
    check_filled(lane, 80, keys=[9, 0, 1 << 40])


@pytest.mark.parametrize("page_bytes", [16, 48, 8192, 16400])
def test_pages_that_nobody_wrote_are_right(lane: Lane, page_bytes: int) -> None:
    check_found(lane, page_bytes, [])


@pytest.mark.parametrize("offset", [0, 1, 7, 8, 4095, 8191, 8192, 16384, 16391, 16392, 16399])
def test_one_wrong_bit_is_found_wherever_it_is(lane: Lane, offset: int) -> None:
    check_found(lane, 16400, [offset])


def test_wrong_bytes_are_counted_and_the_first_is_named(lane: Lane) -> None:
    check_found(lane, 16400, [16399, 9000, 77, 78, 8192])


def test_whatever_a_pattern_depends_on_is_told_apart(lane: Lane) -> None:
    grid = random_grid(lane, 0, 256, 6)
    pages = ids(lane, PAGES)
    fill_canary(grid, pages, CANARY, lane=lane.takes)
    for other in (Canary(CANARY.seed + 1, CANARY.band), Canary(CANARY.seed, CANARY.band + 1)):
        assert (check_canary(grid, pages, other, lane=lane.takes)[:, WRONG] > 200).all()
    assert (check_canary(grid, pages, CANARY, keys=pages + 1, lane=lane.takes)[:, WRONG] > 200).all()


def test_a_page_that_moves_is_right_by_its_id_and_wrong_by_its_place(lane: Lane) -> None:
    grid = random_grid(lane, 0, 256, 6)
    vids = ids(lane, [70, 71, 72])
    fill_canary(grid, ids(lane, PAGES), CANARY, keys=vids, lane=lane.takes)
    move_pages(grid, ids(lane, [5]), ids(lane, [0]), lane=lane.takes)
    moved = ids(lane, [1, 4, 0])
    assert check_canary(grid, moved, CANARY, keys=vids, lane=lane.takes)[:, WRONG].tolist() == [0, 0, 0]
    fill_canary(grid, ids(lane, PAGES), CANARY, lane=lane.takes)
    move_pages(grid, ids(lane, [5]), ids(lane, [0]), lane=lane.takes)
    assert check_canary(grid, moved, CANARY, lane=lane.takes)[:, FIRST].tolist() == [-1, -1, 0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_pattern_is_finite_in_every_dtype(lane: Lane, dtype: torch.dtype) -> None:
    grid = random_grid(lane, 0, 65536, 2)
    fill_canary(grid, ids(lane, [0, 1]), CANARY, lane=lane.takes)
    assert grid.arena.view(dtype).float().isfinite().all()


def test_an_arena_of_canaries_may_be_cut_from_a_larger_one(lane: Lane) -> None:
    whole = random_grid(lane, 0, 16, 64)
    before = whole.arena.clone()
    cut = type(whole)(whole.arena[256:768], 16, 48)
    fill_canary(cut, ids(lane, [2]), CANARY, lane=lane.takes)
    begin = 256 + 16 + 2 * 48
    assert torch.equal(whole.arena[:begin], before[:begin])
    assert torch.equal(whole.arena[begin + 48 :], before[begin + 48 :])
    assert whole.arena[begin : begin + 48].tolist() == list(pattern(2, 48))
    assert check_canary(cut, ids(lane, [2]), CANARY, lane=lane.takes).tolist() == [[0, -1]]


def test_results_may_be_written_to_a_tensor_that_is_there(lane: Lane) -> None:
    grid = random_grid(lane, 0, 64, 6)
    pages = ids(lane, PAGES)
    fill_canary(grid, pages, CANARY, lane=lane.takes)
    out = torch.full((3, 2), 99, dtype=torch.int64, device=lane.device)
    assert check_canary(grid, pages, CANARY, out=out, lane=lane.takes) is out
    assert out.tolist() == [[0, -1]] * 3
