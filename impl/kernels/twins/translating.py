"""Translating virtual ids without Triton."""

import torch


def translate(
    ids: torch.Tensor, table: torch.Tensor, page_tokens: int, out: torch.Tensor, unmapped: int | None
) -> None:
    """Write the physical id of each virtual id to `out`."""
    virtual = ids.to(torch.int64)
    entry = virtual.remainder(page_tokens)
    numbers = virtual.div(page_tokens, rounding_mode="floor")
    known = (numbers >= 0) & (numbers < table.numel())
    pages = torch.where(known, table[numbers.clamp(0, table.numel() - 1)], -1)
    physical = pages.clamp(min=0) * page_tokens + entry
    out.copy_(physical if unmapped is None else torch.where(pages < 0, unmapped, physical))
