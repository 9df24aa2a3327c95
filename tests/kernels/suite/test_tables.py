"""The entries that are named change, and no others."""

import pytest
import torch

from fuzz.kernels.updating import check_update
from impl.kernels.tables import update_table
from tests.kernels.lanes import Lane


@pytest.mark.parametrize("count", [1, 2, 127, 128, 129, 1000])
def test_an_entry_changes_exactly_if_it_is_named(lane: Lane, count: int) -> None:
    check_update(lane, count)


def test_numbers_of_pages_may_need_more_than_32_bits(lane: Lane) -> None:
    table = torch.zeros(3, dtype=torch.int64, device=lane.device)
    pages = torch.tensor([1 << 40, -1], device=lane.device)
    update_table(table, torch.tensor([2, 0], device=lane.device), pages, lane=lane.takes)
    assert table.tolist() == [-1, 0, 1 << 40]
