"""Filling pages with one byte."""

import torch
import triton
import triton.language as tl

from impl.kernels.grid import UNIT, PageGrid
from impl.kernels.launch import Launch
from impl.kernels.scatter import signed
from impl.kernels.tile import tile_for


@triton.jit(
    do_not_specialize=["word", "origin", "units", "per_page", "limit"], do_not_specialize_on_alignment=["pages"]
)
def fill_kernel(
    arena,
    pages,
    word: tl.int64,
    origin: tl.int64,
    units: tl.int64,
    per_page: tl.int32,
    limit: tl.int64,
    TILE: tl.constexpr,
):
    """Write a word over a part of a page."""
    program = tl.program_id(0)
    page = tl.load(pages + (program // per_page).to(tl.int64))
    part = (program % per_page).to(tl.int64)
    tl.device_assert((page >= 0) & (page < limit), "the page lies outside the arena")
    words = units.to(tl.int64) * 2
    first = origin.to(tl.int64) * 2
    place = part * TILE + tl.arange(0, TILE)
    filled = tl.full([TILE], 0, tl.int64) + word.to(tl.int64)
    tl.store(arena + (first + page * words) + place, filled, mask=place < words)


def launch(grid: PageGrid, pages: torch.Tensor, byte: int) -> Launch:
    """Several programs for each page."""
    tile = tile_for(grid)
    word = signed(byte * 0x0101010101010101)
    arguments = (grid.words, pages, word, grid.origin // UNIT, tile.units, tile.per_page, grid.limit)
    return Launch(
        fill_kernel, pages.numel() * tile.per_page, grid.arena.device, arguments, {"TILE": tile.words}, tile.warps
    )
