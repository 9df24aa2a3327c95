"""What reads or writes one wrong thing says something else: each fault shows in the logits, or as a race before."""

import random
from typing import Any

import pytest
import torch

from impl.device.arena import ArenaDevice
from impl.device.simulated.accesses import Race
from impl.device.views import TORCH_DTYPES
from impl.layout import DType, Row
from impl.serving.engine import paged
from impl.serving.engine.paged import PagedMemory
from impl.serving.engine.share import Share
from impl.serving.engine.tiny import tiny
from tests.serving.running import TOLERANCE, Served, drive, furthest, quiet, room_for, said_alone, serve, tasks
from tests.serving.seeded import Fault, Patch, fault

FAULTS: list[Fault] = []
LAYOUT = tiny("gpt-oss-20b")
ASKED = tasks(1, count=7)


@fault(FAULTS, "same-logits", "class: another layer's rows")
def _a_row_beside(patch: Patch) -> None:
    """The rows of another layer."""
    view = ArenaDevice.view

    def wrong(self: ArenaDevice[Any], band: int, row: Row) -> torch.Tensor:
        rows = [other for other in self.chain.bands[band].kind.rows if other.part == row.part]
        return view(self, band, rows[0])

    patch.setattr(ArenaDevice, "view", wrong)


@fault(FAULTS, "same-logits", "kvcached#330")
def _a_stride_of_rows(patch: Patch) -> None:
    """Entries one beside the other, as if no other layer had rows between."""
    view = ArenaDevice.view

    def wrong(self: ArenaDevice[Any], band: int, row: Row) -> torch.Tensor:
        right = view(self, band, row)
        size = row.nbytes // row.dtype.itemsize
        return right.as_strided(right.shape, (size, *right.stride()[1:]))

    patch.setattr(ArenaDevice, "view", wrong)


@fault(FAULTS, "same-logits", "class: bytes in another dtype")
def _another_dtype(patch: Patch) -> None:
    """Eight bits of exponent taken for five."""
    patch.setitem(TORCH_DTYPES, DType.BF16, torch.float16)


@fault(FAULTS, "same-logits", "sglang#33517")
def _virtual_for_physical(patch: Patch) -> None:
    """Ids used as addresses."""
    patch.setattr(paged, "translate", lambda rows, table, page_tokens: rows)


@fault(FAULTS, "same-logits", "class: a page is off by one")
def _a_page_further(patch: Patch) -> None:
    """Each page taken for its neighbour of the request."""
    init = PagedMemory.__init__

    def wrong(self: PagedMemory, device: Any, places: Any, share: Share) -> None:
        init(self, device, places, share)
        self._rows = [rows.roll(4) if len(rows) > 4 else rows for rows in self._rows]

    patch.setattr(PagedMemory, "__init__", wrong)


@fault(FAULTS, "race-free", "sglang#38463")
def _no_wait_for_the_allocator(patch: Patch) -> None:
    """Forwards that do not wait for moves."""
    patch.setattr(ArenaDevice, "_wait_for_allocator", lambda self, stream: None)


def _compact(served: Served) -> None:
    quiet(served)
    served.allocator.compact(1 << 40)


def _seen() -> str | None:
    """The check that does not hold."""
    try:
        served = serve(LAYOUT, room_for(LAYOUT, 24), late=True)
        jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in ASKED]
        drive(served, random.Random(2), lambda: _compact(served))
    except Race:
        return "race-free"
    return None if furthest(LAYOUT, ASKED, jobs) < TOLERANCE else "same-logits"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_shows_by_its_check(fault: Fault, monkeypatch: Patch) -> None:
    for task in ASKED:
        # what is right is remembered, and must not be computed with the fault
        said_alone(LAYOUT, task)
    fault.apply(monkeypatch)
    assert _seen() == fault.check


def test_nothing_shows_where_there_is_no_fault() -> None:
    assert _seen() is None
