"""What is right of fills."""

from typing import Final

import torch

from fuzz.kernels.agreeing import agree
from fuzz.kernels.arenas import ids, random_grid
from fuzz.kernels.lane import Lane
from impl.chain import BandGeometry
from impl.device.views import row_view
from impl.kernels.fills import fill_pages, poison_pages
from impl.kernels.grid import PageGrid
from impl.layout import DType, Kind, Lifetime, Row

FLOATS: Final = tuple(dtype for dtype in DType if dtype is not DType.UINT8)
PAGE_TOKENS: Final = 3
ROWS: Final = tuple(Row(0, dtype.value, (5,), dtype, 32 * place) for place, dtype in enumerate(DType))
"""One row of five elements in each dtype, with some bytes between one and the next."""


def check_fill(lane: Lane, page_bytes: int, byte: int) -> None:
    """The pages that are named hold nothing but the byte, and no other byte of the arena has changed."""
    grid = random_grid(lane, 32, page_bytes, 6, slack=7)
    expected = grid.arena.clone()
    for page in (0, 5, 2):
        expected[32 + page * page_bytes : 32 + (page + 1) * page_bytes] = byte
    fill_pages(grid, ids(lane, [0, 5, 2]), byte, lane=lane.takes)
    agree("byte", grid.arena, expected)


def check_poison(lane: Lane) -> None:
    """Whatever row of a poisoned page is read, it is a NaN if its dtype has any."""
    entry_bytes = 32 * len(ROWS)
    kind = Kind("full", Lifetime.FULL, None, ROWS, entry_bytes, PAGE_TOKENS)
    band = BandGeometry(0, kind, "full", 0, kind.page_bytes, PAGE_TOKENS, 1, 4)
    grid = PageGrid(torch.zeros(4 * kind.page_bytes, dtype=torch.uint8, device=lane.device), 0, kind.page_bytes)
    poison_pages(grid, ids(lane, [1, 3]), lane=lane.takes)
    for row in ROWS:
        entries = row_view(grid.arena, band, row).float().view(4, PAGE_TOKENS, 5)
        poisoned = entries.isnan() if row.dtype in FLOATS else entries == 255
        agree(f"{row.dtype}: whether poisoned", poisoned, torch.tensor([False, True, False, True]).view(4, 1, 1))
