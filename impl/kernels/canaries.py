"""Canaries: bytes in a page that say whose it is, and whether anybody wrote there since."""

from dataclasses import dataclass
from typing import Final

import torch

from impl.kernels import scatter
from impl.kernels.arguments import check_flat, check_range, check_same_length
from impl.kernels.grid import PageGrid
from impl.kernels.lane import Lane, lane_for
from impl.kernels.twins import canaries as twin
from impl.misuse import Misuse

WRONG: Final = 0
"""Column of a check's result: how many bytes of the page are wrong."""
FIRST: Final = 1
"""Column of a check's result: the first wrong byte, counted from the beginning of its page, or -1."""


@dataclass(frozen=True, slots=True)
class Canary:
    """What the bytes of a page depend on, besides the page's key and the place in it.

    Attributes:
        seed: any integer of 64 bits.
        band: the band's number; two bands never share a pattern.
    """

    seed: int
    band: int

    @property
    def stream(self) -> int:
        """Seed and band in 64 signed bits."""
        return scatter.signed(scatter.mixed(scatter.mixed(self.seed) + self.band + 1))


def fill_canary(
    grid: PageGrid,
    pages: torch.Tensor,
    canary: Canary,
    *,
    keys: torch.Tensor | None = None,
    lane: Lane | None = None,
) -> None:
    """Write a canary's pattern over pages.

    Each 8 bytes depend on seed, band, key and their offset in the page, so whatever is shifted, swapped, left over or
    cut short is wrong. One bit of the exponent is 0 in every float dtype: the pattern is finite in all of them.

    Args:
        grid: the band's pages.
        pages: int64 [n], physical pages, no two the same.
        canary: the pattern.
        keys: int64 [n], what each page's pattern depends on. None for the physical page; give virtual ids for a
            pattern that stays right when a page moves.
        lane: see `lane_for`.

    Raises:
        Misuse: the ids have another dtype, shape or device, differ in number, or (of the twin's) lie outside the arena.
    """
    chosen, keys = _checked(grid, pages, keys, lane)
    if not pages.numel():
        return
    if chosen == "twin":
        twin.fill(grid, pages, keys, canary.stream)
    else:
        from impl.kernels.jitted import canaries

        canaries.fill_launch(grid, pages, keys, canary.stream).run()


def check_canary(
    grid: PageGrid,
    pages: torch.Tensor,
    canary: Canary,
    *,
    keys: torch.Tensor | None = None,
    out: torch.Tensor | None = None,
    lane: Lane | None = None,
) -> torch.Tensor:
    """Compare pages with what `fill_canary` wrote, without waiting for the device.

    Args:
        grid: the band's pages.
        pages: int64 [n], physical pages.
        canary: the pattern.
        keys: as they were given to `fill_canary`.
        out: int64 [n, 2]; with it nothing is allocated.
        lane: see `lane_for`.

    Returns:
        `out`, or a new int64 tensor [n, 2] on the arena's device: columns `WRONG` and `FIRST`.

    Raises:
        Misuse: as `fill_canary`; or `out` has another dtype, shape or device.
    """
    chosen, keys = _checked(grid, pages, keys, lane)
    shape = (pages.numel(), 2)
    if out is None:
        out = torch.empty(shape, dtype=torch.int64, device=pages.device)
    elif out.dtype is not torch.int64 or tuple(out.shape) != shape or not out.is_contiguous():
        raise Misuse("out", (out.dtype, tuple(out.shape)), "no room for the result", f"give contiguous int64 {shape}")
    elif out.device != pages.device:
        raise Misuse("out", out.device, f"the pages are on {pages.device}", "give one on the same device")
    if not pages.numel():
        return out
    if chosen == "twin":
        twin.check(grid, pages, keys, canary.stream, out)
    else:
        from impl.kernels.jitted import canaries

        canaries.check_launch(grid, pages, keys, canary.stream, out).run()
    return out


def _checked(
    grid: PageGrid, pages: torch.Tensor, keys: torch.Tensor | None, lane: Lane | None
) -> tuple[Lane, torch.Tensor]:
    chosen = lane_for(grid.arena, lane)
    check_flat("pages", pages, grid.arena.device)
    check_range("pages", pages, grid.limit, chosen)
    if keys is None:
        return chosen, pages
    check_flat("keys", keys, grid.arena.device)
    check_same_length("keys", keys, "pages", pages)
    return chosen, keys
