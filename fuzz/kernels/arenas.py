"""Small arenas of random bytes, and ids into them."""

import torch

from fuzz.kernels.lane import Lane
from impl.kernels.grid import PageGrid


def random_grid(lane: Lane, origin: int, page_bytes: int, pages: int, slack: int = 0) -> PageGrid:
    """So many pages above an origin, and some bytes beyond them that belong to none."""
    drawn = torch.Generator().manual_seed(page_bytes + origin + slack)
    size = origin + pages * page_bytes + slack
    return PageGrid(
        torch.randint(0, 256, (size,), dtype=torch.uint8, generator=drawn).to(lane.device), origin, page_bytes
    )


def ids(lane: Lane, numbers: list[int], dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """A tensor of them where the lane's kernels read it."""
    return torch.tensor(numbers, dtype=dtype, device=lane.device)


def bytes_of(grid: PageGrid, page: int) -> torch.Tensor:
    """The bytes of one page, cut out of the arena by its definition."""
    begin = grid.origin + page * grid.page_bytes
    return grid.arena[begin : begin + grid.page_bytes]
