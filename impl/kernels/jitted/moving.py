"""Moving pages."""

import torch
import triton
import triton.language as tl

from impl.kernels.grid import UNIT, PageGrid
from impl.kernels.launch import Launch
from impl.kernels.tile import tile_for


@triton.jit(
    do_not_specialize=["origin", "units", "per_page", "limit"], do_not_specialize_on_alignment=["sources", "targets"]
)
def move_kernel(
    arena, sources, targets, origin: tl.int64, units: tl.int64, per_page: tl.int32, limit: tl.int64, TILE: tl.constexpr
):
    """Copy a part of one page to another."""
    program = tl.program_id(0)
    move = (program // per_page).to(tl.int64)
    part = (program % per_page).to(tl.int64)
    source = tl.load(sources + move)
    target = tl.load(targets + move)
    tl.device_assert((source >= 0) & (source < limit), "the source lies outside the arena")
    tl.device_assert((target >= 0) & (target < limit), "the target lies outside the arena")
    words = units.to(tl.int64) * 2
    first = origin.to(tl.int64) * 2
    place = part * TILE + tl.arange(0, TILE)
    inside = place < words
    taken = tl.load(arena + (first + source * words) + place, mask=inside)
    tl.store(arena + (first + target * words) + place, taken, mask=inside)


def launch(grid: PageGrid, sources: torch.Tensor, targets: torch.Tensor) -> Launch:
    """Several programs for each pair of pages."""
    tile = tile_for(grid)
    arguments = (grid.words, sources, targets, grid.origin // UNIT, tile.units, tile.per_page, grid.limit)
    return Launch(
        move_kernel, sources.numel() * tile.per_page, grid.arena.device, arguments, {"TILE": tile.words}, tile.warps
    )
