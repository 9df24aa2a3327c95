"""Moving pages without Triton: through numpy in the host's memory, through torch on a device."""

from typing import Final

import torch

from impl.kernels.grid import PageGrid
from impl.numbers import Int64

LARGE: Final = 1 << 14
"""Bytes; pages from this size on are copied one by one, which saves a temporary copy of all of them."""


class HostPages:
    """The pages of a band in the host's memory, as numpy copies and fills them fastest."""

    __slots__ = ("_items", "_pages")

    def __init__(self, pages: torch.Tensor) -> None:
        # through numpy, which is quicker to begin a copy than torch
        self._pages = pages.numpy()
        # a page as one item of an array, since numpy gathers and scatters small ones many times faster than torch
        self._items = self._pages.view(f"V{self._pages.shape[1]}")[:, 0]

    def move(self, sources: Int64, targets: Int64) -> None:
        """Copy pages, pairwise; no target is a source."""
        if self._pages.shape[1] >= LARGE:
            pages = self._pages
            for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
                pages[target] = pages[source]
        else:
            items = self._items
            items[targets] = items[sources]

    def wipe(self, pages: Int64) -> None:
        """Write zeros over pages."""
        self._pages[pages] = 0


def move(grid: PageGrid, sources: torch.Tensor, targets: torch.Tensor) -> None:
    """Copy pages, pairwise."""
    pages = grid.pages
    if pages.is_cuda:
        move_on_device(pages, sources, targets)
    else:
        HostPages(pages).move(sources.numpy(), targets.numpy())


def move_on_device(pages: torch.Tensor, sources: torch.Tensor, targets: torch.Tensor) -> None:
    """Copy pages, pairwise, where only torch reaches them."""
    pages[targets] = pages[sources]
