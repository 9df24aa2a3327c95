"""Filling pages with canaries, and checking them."""

from typing import Final

import torch
import triton
import triton.language as tl

from impl.kernels import scatter
from impl.kernels.grid import UNIT, PageGrid
from impl.kernels.launch import Launch
from impl.kernels.tile import tile_for

GOLDEN = tl.constexpr(scatter.GOLDEN)
FINITE = tl.constexpr(scatter.FINITE)
SHIFT_0, SHIFT_1, SHIFT_2 = (tl.constexpr(shift) for shift in scatter.SHIFTS)
FACTOR_0, FACTOR_1 = (tl.constexpr(factor) for factor in scatter.FACTORS)

CHECKED: Final = 1024
"""Words that a check compares at a time."""
WARPS: Final = 4


@triton.jit
def mixed(value):
    """As `scatter.mixed`, of unsigned 64-bit words."""
    value = (value ^ (value >> SHIFT_0)) * FACTOR_0
    value = (value ^ (value >> SHIFT_1)) * FACTOR_1
    return value ^ (value >> SHIFT_2)


@triton.jit
def pattern(key, stream, place):
    """The words at these places of the page with this key."""
    base = mixed(stream.to(tl.int64).to(tl.uint64) + key.to(tl.uint64) * GOLDEN)
    return (mixed(base + place.to(tl.uint64) * GOLDEN) & FINITE).to(tl.int64)


@triton.jit(
    do_not_specialize=["stream", "origin", "units", "per_page", "limit"],
    do_not_specialize_on_alignment=["pages", "keys"],
)
def fill_kernel(
    arena,
    pages,
    keys,
    stream: tl.int64,
    origin: tl.int64,
    units: tl.int64,
    per_page: tl.int32,
    limit: tl.int64,
    TILE: tl.constexpr,
):
    """Write the pattern of each key over a part of its page."""
    program = tl.program_id(0)
    number = (program // per_page).to(tl.int64)
    part = (program % per_page).to(tl.int64)
    page = tl.load(pages + number)
    key = tl.load(keys + number)
    tl.device_assert((page >= 0) & (page < limit), "the page lies outside the arena")
    words = units.to(tl.int64) * 2
    first = origin.to(tl.int64) * 2
    place = part * TILE + tl.arange(0, TILE)
    tl.store(arena + (first + page * words) + place, pattern(key, stream, place), mask=place < words)


@triton.jit(
    do_not_specialize=["stream", "origin", "units", "limit"], do_not_specialize_on_alignment=["pages", "keys", "out"]
)
def check_kernel(
    arena,
    pages,
    keys,
    out,
    stream: tl.int64,
    origin: tl.int64,
    units: tl.int64,
    limit: tl.int64,
    TILE: tl.constexpr,
):
    """Count the wrong bytes of a page and find the first; one program does it all, so that no result is shared."""
    number = tl.program_id(0).to(tl.int64)
    page = tl.load(pages + number)
    key = tl.load(keys + number)
    tl.device_assert((page >= 0) & (page < limit), "the page lies outside the arena")
    words = units.to(tl.int64) * 2
    begin = arena + (origin.to(tl.int64) * 2 + page * words)
    count = tl.full([TILE], 0, tl.int64)
    earliest = tl.full([TILE], 0, tl.int64) + words * 8
    place = tl.arange(0, TILE).to(tl.int64)
    for _ in range(0, tl.cdiv(words, TILE)):
        inside = place < words
        found = tl.load(begin + place, mask=inside, other=0)
        differ = tl.where(inside, found ^ pattern(key, stream, place), 0)
        # little-endian: byte 0 of a word holds its lowest bits
        for byte in tl.static_range(8):
            wrong = ((differ >> (8 * byte)) & 0xFF) != 0
            count += wrong.to(tl.int64)
            earliest = tl.where(wrong, tl.minimum(earliest, place * 8 + byte), earliest)
        place += TILE
    total = tl.sum(count, axis=0)
    tl.store(out + number * 2, total)
    tl.store(out + (number * 2 + 1), tl.where(total > 0, tl.min(earliest, axis=0), -1))


def fill_launch(grid: PageGrid, pages: torch.Tensor, keys: torch.Tensor, stream: int) -> Launch:
    """Several programs for each page."""
    tile = tile_for(grid)
    arguments = (grid.words, pages, keys, stream, grid.origin // UNIT, tile.units, tile.per_page, grid.limit)
    return Launch(
        fill_kernel, pages.numel() * tile.per_page, grid.arena.device, arguments, {"TILE": tile.words}, tile.warps
    )


def check_launch(grid: PageGrid, pages: torch.Tensor, keys: torch.Tensor, stream: int, out: torch.Tensor) -> Launch:
    """One program for each page."""
    arguments = (grid.words, pages, keys, out, stream, grid.origin // UNIT, grid.page_bytes // UNIT, grid.limit)
    return Launch(check_kernel, pages.numel(), grid.arena.device, arguments, {"TILE": CHECKED}, WARPS)
