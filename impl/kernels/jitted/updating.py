"""Writing the page table."""

from typing import Final

import torch
import triton
import triton.language as tl

from impl.arithmetic.grid import ceil_div
from impl.kernels.launch import Launch

TILE: Final = 128
"""Entries of a program: one for each thread, since batches are small and latency is what counts."""
WARPS: Final = 4


@triton.jit(do_not_specialize=["count", "entries"], do_not_specialize_on_alignment=["table", "ids", "pages"])
def update_kernel(table, ids, pages, count: tl.int64, entries: tl.int64, TILE: tl.constexpr):
    """Write a run of entries."""
    place = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    given = place < count
    number = tl.load(ids + place, mask=given, other=0)
    tl.device_assert((number >= 0) & (number < entries), "the id lies outside the table", given)
    tl.store(table + number, tl.load(pages + place, mask=given), mask=given)


def launch(table: torch.Tensor, ids: torch.Tensor, pages: torch.Tensor) -> Launch:
    """One program for each 128 entries."""
    arguments = (table, ids, pages, ids.numel(), table.numel())
    return Launch(update_kernel, ceil_div(ids.numel(), TILE), table.device, arguments, {"TILE": TILE}, WARPS)
