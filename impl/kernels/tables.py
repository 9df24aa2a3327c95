"""Writing the page table that kernels read."""

import torch

from impl.kernels.arguments import check_flat, check_range, check_same_length
from impl.kernels.lane import Lane, lane_for
from impl.kernels.twins import updating as twin


def update_table(table: torch.Tensor, ids: torch.Tensor, pages: torch.Tensor, *, lane: Lane | None = None) -> None:
    """Let virtual pages live at physical ones: `table[ids] = pages`.

    Args:
        table: int64 [entries].
        ids: int64 [n], virtual pages, no two the same.
        pages: int64 [n], a physical page for each.
        lane: see `lane_for`.

    Raises:
        Misuse: an argument has another dtype, shape or device; ids and pages differ in number; or an id (of the twin's)
            lies outside the table.
    """
    chosen = lane_for(table, lane)
    check_flat("table", table, table.device)
    check_flat("ids", ids, table.device)
    check_flat("pages", pages, table.device)
    check_same_length("ids", ids, "pages", pages)
    check_range("ids", ids, table.numel(), chosen)
    if not ids.numel():
        return
    if chosen == "twin":
        twin.update(table, ids, pages)
    else:
        from impl.kernels.jitted import updating

        updating.launch(table, ids, pages).run()
