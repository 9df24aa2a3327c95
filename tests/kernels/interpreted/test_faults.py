"""What is wrong with the arguments of a launch is found too."""

from unittest.mock import patch

import pytest
import torch

from fuzz.interpreter.findings import AssertionFailed, Race
from fuzz.interpreter.guard import guarded
from fuzz.kernels.agreeing import Disagreement
from fuzz.kernels.arenas import ids, random_grid
from fuzz.kernels.filling import check_poison
from impl.kernels import fills
from impl.kernels.canaries import Canary, check_canary, fill_canary
from impl.kernels.fills import zero_pages
from impl.kernels.moves import move_pages
from impl.kernels.tables import update_table
from tests.kernels.lanes import LANES

LANE = LANES["interpreter"]


def test_a_poison_that_misses_a_dtype_is_found() -> None:
    check_poison(LANE)
    # a NaN in fp16 and fp8, and a number in fp32 and bf16
    with patch.object(fills, "POISON", 0x7F), pytest.raises(Disagreement, match="DType"):
        check_poison(LANE)


def test_a_target_that_is_given_twice_is_found() -> None:
    grid = random_grid(LANE, 0, 48, 8)
    with pytest.raises(Race), guarded():
        move_pages(grid, ids(LANE, [1, 2]), ids(LANE, [5, 5]), lane="triton")


def test_a_target_that_is_a_source_is_found() -> None:
    grid = random_grid(LANE, 0, 48, 8)
    with pytest.raises(Race), guarded():
        move_pages(grid, ids(LANE, [1, 2]), ids(LANE, [2, 3]), lane="triton")


@pytest.mark.parametrize("among", [2, 200])
def test_an_id_that_is_given_twice_is_found(among: int) -> None:
    table = torch.zeros(among, dtype=torch.int64)
    twice = torch.arange(among)
    twice[-1] = 0
    with pytest.raises(Race), guarded():
        update_table(table, twice, torch.arange(among), lane="triton")


@pytest.mark.parametrize("page", [-1, 8])
def test_a_page_outside_the_arena_is_found(page: int) -> None:
    grid = random_grid(LANE, 0, 48, 8, slack=32)
    inside, outside = ids(LANE, [3]), ids(LANE, [page])
    canary = Canary(0, 0)
    for call in (
        lambda: move_pages(grid, inside, outside, lane="triton"),
        lambda: move_pages(grid, outside, inside, lane="triton"),
        lambda: zero_pages(grid, outside, lane="triton"),
        lambda: fill_canary(grid, outside, canary, lane="triton"),
        lambda: check_canary(grid, outside, canary, lane="triton"),
        lambda: update_table(torch.zeros(8, dtype=torch.int64), outside, inside, lane="triton"),
    ):
        with pytest.raises(AssertionFailed, match="outside the"), guarded():
            call()
