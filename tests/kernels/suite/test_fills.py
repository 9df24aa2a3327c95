"""Pages show nothing of their earlier owner when they are handed out."""

import pytest

from fuzz.kernels.arenas import bytes_of, ids, random_grid
from fuzz.kernels.filling import check_fill, check_poison
from impl.kernels.fills import zero_pages
from tests.kernels.lanes import Lane


@pytest.mark.parametrize("page_bytes", [16, 48, 1040, 16384, 65552])
@pytest.mark.parametrize("byte", [0, 0xFF, 0x5A])
def test_pages_hold_the_byte_and_nothing_else_changes(lane: Lane, page_bytes: int, byte: int) -> None:
    check_fill(lane, page_bytes, byte)


def test_zeroed_pages_are_zero(lane: Lane) -> None:
    grid = random_grid(lane, 0, 48, 3)
    zero_pages(grid, ids(lane, [1]), lane=lane.takes)
    assert [int(bytes_of(grid, page).count_nonzero()) > 0 for page in range(3)] == [True, False, True]


def test_poison_shows_in_every_row_whatever_its_dtype(lane: Lane) -> None:
    check_poison(lane)
