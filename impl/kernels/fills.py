"""What a page shows when it is handed out: zeros, or bytes that no result survives."""

from typing import Final

import torch

from impl.kernels.arguments import check_flat, check_range
from impl.kernels.grid import PageGrid
from impl.kernels.lane import Lane, lane_for
from impl.kernels.twins import filling as twin
from impl.misuse import Misuse
from impl.numbers import is_integer

ZERO: Final = 0x00
"""The number 0 in every dtype."""
POISON: Final = 0xFF
"""All bits set: a NaN in fp32, bf16, fp16 and fp8_e4m3, so whatever dtype a row has; 255 in uint8."""


def zero_pages(grid: PageGrid, pages: torch.Tensor, *, lane: Lane | None = None) -> None:
    """Write zeros over pages; see `fill_pages`."""
    fill_pages(grid, pages, ZERO, lane=lane)


def poison_pages(grid: PageGrid, pages: torch.Tensor, *, lane: Lane | None = None) -> None:
    """Write NaNs over pages, so that a result shows whether bytes were read that nobody wrote; see `fill_pages`."""
    fill_pages(grid, pages, POISON, lane=lane)


def fill_pages(grid: PageGrid, pages: torch.Tensor, byte: int, *, lane: Lane | None = None) -> None:
    """Write one byte over pages, what lies between their rows included.

    Args:
        grid: the band's pages.
        pages: int64 [n], physical pages, no two the same.
        byte: 0 to 255.
        lane: see `lane_for`.

    Raises:
        Misuse: it is no byte; or the ids have another dtype, shape or device, or (of the twin's) lie outside the arena.
    """
    chosen = lane_for(grid.arena, lane)
    if not is_integer(byte) or not 0 <= byte <= 255:
        raise Misuse("byte", byte, "not a byte", "give an integer from 0 to 255")
    check_flat("pages", pages, grid.arena.device)
    check_range("pages", pages, grid.limit, chosen)
    if not pages.numel():
        return
    if chosen == "twin":
        twin.fill(grid, pages, byte)
    else:
        from impl.kernels.jitted import filling

        filling.launch(grid, pages, byte).run()
