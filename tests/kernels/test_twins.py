"""The suite notices faults in the twins, with which kernels are compared."""

from collections.abc import Callable
from functools import partial
from types import ModuleType

import pytest
import torch

from fuzz.kernels.canaries import check_filled, check_found
from fuzz.kernels.changed import changed
from fuzz.kernels.filling import check_fill
from fuzz.kernels.moving import check_moves, check_twin_on_device
from fuzz.kernels.translating import check_translation
from fuzz.kernels.updating import check_update
from impl.kernels.twins import canaries, filling, moving, translating, updating
from tests.kernels.lanes import LANES, Lane

LANE = LANES["twin"]

FAULTS: list[tuple[ModuleType, str, str, Callable[[Lane], object]]] = [
    (moving, "pages[target] = pages[source]", "pages[target] = pages[target]", partial(check_moves, page_bytes=65536)),
    (moving, "items[targets] = items[sources]", "items[sources] = items[targets]", partial(check_moves, page_bytes=48)),
    (moving, "    pages[targets] = pages[sources]", "    pages[targets] = pages[targets]", check_twin_on_device),
    (
        translating,
        "pages.clamp(min=0)",
        "pages",
        partial(check_translation, page_tokens=16, dtype=torch.int64, unmapped=None),
    ),
    (
        translating,
        'rounding_mode="floor"',
        'rounding_mode="trunc"',
        partial(check_translation, page_tokens=16, dtype=torch.int32, unmapped=-1),
    ),
    (updating, "    table[ids]", "    table[ids - 1]", partial(check_update, count=129)),
    (
        filling,
        "index_fill_(0, pages, byte)",
        "index_fill_(0, pages[1:], byte)",
        partial(check_fill, page_bytes=48, byte=0),
    ),
    (canaries, "keys * signed(GOLDEN)", "keys", partial(check_filled, page_bytes=48)),
    (canaries, ".argmax(1)", ".argmin(1)", partial(check_found, page_bytes=16400, wrong=[77])),
    (canaries, "wrong.sum(1)", "wrong[:, :-8].sum(1)", partial(check_found, page_bytes=48, wrong=[47])),
]


@pytest.mark.parametrize(("module", "old", "new", "check"), FAULTS, ids=[fault[2] for fault in FAULTS])
def test_a_fault_in_a_twin_is_found(module: ModuleType, old: str, new: str, check: Callable[[Lane], object]) -> None:
    check(LANE)
    with changed(module, old, new), pytest.raises(AssertionError):
        check(LANE)
