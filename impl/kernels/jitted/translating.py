"""Translating virtual ids to physical ones."""

from typing import Final

import torch
import triton
import triton.language as tl

from impl.arithmetic.grid import ceil_div
from impl.kernels.launch import Launch

TILE: Final = 512
"""Ids of a program: four for each thread."""
WARPS: Final = 4


@triton.jit(do_not_specialize=["count", "pages", "unmapped"], do_not_specialize_on_alignment=["ids", "table", "out"])
def translate_kernel(
    ids,
    table,
    out,
    count: tl.int64,
    pages: tl.int64,
    unmapped: tl.int64,
    PAGE_TOKENS: tl.constexpr,
    TO_SINK: tl.constexpr,
    TILE: tl.constexpr,
):
    """Translate a run of ids."""
    place = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    asked = place < count
    virtual = tl.load(ids + place, mask=asked, other=0).to(tl.int64)
    # division rounds towards zero: -1 would be on page 0, and its remainder is negative
    entry = (virtual % PAGE_TOKENS + PAGE_TOKENS) % PAGE_TOKENS
    number = virtual // PAGE_TOKENS
    known = asked & (virtual >= 0) & (number < pages)
    page = tl.load(table + number, mask=known, other=-1)
    physical = tl.maximum(page, 0) * PAGE_TOKENS + entry
    if not TO_SINK:
        physical = tl.where(page < 0, unmapped.to(tl.int64), physical)
    tl.store(out + place, physical, mask=asked)


def launch(ids: torch.Tensor, table: torch.Tensor, page_tokens: int, out: torch.Tensor, unmapped: int | None) -> Launch:
    """One program for each 512 ids."""
    arguments = (ids, table, out, ids.numel(), table.numel(), -1 if unmapped is None else unmapped)
    constants = {"PAGE_TOKENS": page_tokens, "TO_SINK": int(unmapped is None), "TILE": TILE}
    return Launch(translate_kernel, ceil_div(ids.numel(), TILE), ids.device, arguments, constants, WARPS)
