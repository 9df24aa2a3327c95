"""What is right of an update of the page table."""

import torch

from fuzz.kernels.agreeing import agree
from fuzz.kernels.lane import Lane
from impl.kernels.tables import update_table


def check_update(lane: Lane, count: int) -> None:
    """The named entries change and no others, the table's first and last among them."""
    drawn = torch.Generator().manual_seed(count)
    size = 2 * count + 1
    ids = torch.randperm(size, generator=drawn)[:count]
    ids[0] = size - 1 if size - 1 not in ids.tolist() else ids[0]
    pages = torch.randint(0, 1 << 40, (count,), generator=drawn)
    table = torch.randint(0, 1 << 40, (size,), generator=drawn)
    expected = table.tolist()
    for one, page in zip(ids.tolist(), pages.tolist(), strict=True):
        expected[one] = page
    written = table.to(lane.device)
    update_table(written, ids.to(lane.device), pages.to(lane.device), lane=lane.takes)
    agree("entry", written, expected)
