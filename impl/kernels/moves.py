"""Moving pages within their band."""

import torch

from impl.kernels.arguments import check_flat, check_range, check_same_length
from impl.kernels.grid import PageGrid
from impl.kernels.lane import Lane, lane_for
from impl.kernels.twins import moving as twin


def move_pages(grid: PageGrid, sources: torch.Tensor, targets: torch.Tensor, *, lane: Lane | None = None) -> None:
    """Copy pages, pairwise: afterwards page `targets[i]` holds the bytes of page `sources[i]`.

    Args:
        grid: the band's pages.
        sources: int64 [n], physical pages; none of them is a target.
        targets: int64 [n], physical pages, no two the same.
        lane: see `lane_for`.

    Raises:
        Misuse: the ids have another dtype, shape or device, differ in number, or (of the twin's) lie outside the arena.
    """
    device = grid.arena.device
    chosen = lane_for(grid.arena, lane)
    for field, pages in (("sources", sources), ("targets", targets)):
        check_flat(field, pages, device)
        check_range(field, pages, grid.limit, chosen)
    check_same_length("sources", sources, "targets", targets)
    if not sources.numel():
        return
    if chosen == "twin":
        twin.move(grid, sources, targets)
    else:
        from impl.kernels.jitted import moving

        moving.launch(grid, sources, targets).run()
