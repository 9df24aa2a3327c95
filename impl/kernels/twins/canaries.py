"""Canaries without Triton."""

import torch

from impl.kernels.grid import WORD, PageGrid
from impl.kernels.scatter import FACTORS, FINITE, GOLDEN, SHIFTS, signed


def fill(grid: PageGrid, pages: torch.Tensor, keys: torch.Tensor, stream: int) -> None:
    """Write the pattern of each key over its page."""
    grid.page_words[pages] = _pattern(grid, keys, stream)


def check(grid: PageGrid, pages: torch.Tensor, keys: torch.Tensor, stream: int, out: torch.Tensor) -> None:
    """How many bytes of each page differ from the pattern of its key, and the first of them or -1."""
    # the pattern's bytes in memory order, whatever that is
    wrong = grid.pages[pages] != _pattern(grid, keys, stream).view(torch.uint8)
    count = wrong.sum(1)
    out[:, 0] = count
    out[:, 1] = torch.where(count > 0, wrong.to(torch.uint8).argmax(1), -1)


def _pattern(grid: PageGrid, keys: torch.Tensor, stream: int) -> torch.Tensor:
    """Int64 [keys, words of a page]."""
    places = torch.arange(grid.page_bytes // WORD, device=keys.device)
    bases = _mixed(stream + keys * signed(GOLDEN))
    return _mixed(bases[:, None] + places * signed(GOLDEN)) & signed(FINITE)


def _mixed(value: torch.Tensor) -> torch.Tensor:
    """As `scatter.mixed`: torch wraps products around, and shifts in the sign, which is taken away again."""
    for shift, factor in zip(SHIFTS, FACTORS, strict=False):
        value = (value ^ _shifted(value, shift)) * signed(factor)
    return value ^ _shifted(value, SHIFTS[-1])


def _shifted(value: torch.Tensor, shift: int) -> torch.Tensor:
    return value >> shift & (1 << 64 - shift) - 1
