"""Filling pages without Triton."""

import torch

from impl.kernels.grid import PageGrid


def fill(grid: PageGrid, pages: torch.Tensor, byte: int) -> None:
    """Write one byte over pages."""
    grid.pages.index_fill_(0, pages, byte)
