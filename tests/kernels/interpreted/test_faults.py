"""Each deliberate fault in a kernel is found as what it is, and by nothing that the right kernel would not pass."""

from unittest.mock import patch

import pytest
import torch

from fuzz.interpreter.findings import AssertionFailed, OutOfBounds, Overflow, Race
from fuzz.interpreter.guard import guarded
from impl.kernels import fills
from impl.kernels.canaries import Canary, check_canary, fill_canary
from impl.kernels.fills import zero_pages
from impl.kernels.moves import move_pages
from impl.kernels.tables import update_table
from tests.kernels.arenas import ids, random_grid
from tests.kernels.changed import changed
from tests.kernels.filling import check_poison
from tests.kernels.interpreted.faults import FAULTS, KernelFault
from tests.kernels.lanes import LANES

LANE = LANES["interpreter"]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_fault_is_found(fault: KernelFault) -> None:
    with guarded():
        fault.check(LANE)
    with changed(fault.module, fault.old, fault.new), pytest.raises(fault.found) as found, guarded():
        fault.check(LANE)
    assert found.type is fault.found


def test_faults_of_every_kernel_are_among_them() -> None:
    assert {fault.name.split(":")[0] for fault in FAULTS} == {"move", "translate", "update", "canary", "fill"}
    assert {fault.found for fault in FAULTS} == {OutOfBounds, Overflow, Race, AssertionError}


def test_a_poison_that_misses_a_dtype_is_found() -> None:
    check_poison(LANE)
    # a NaN in fp16 and fp8, and a number in fp32 and bf16
    with patch.object(fills, "POISON", 0x7F), pytest.raises(AssertionError, match="DType"):
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
