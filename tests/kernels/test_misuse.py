"""Wrong arguments are rejected with the field, its value and what to do instead, and nothing is changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from impl.kernels.canaries import Canary, check_canary, fill_canary
from impl.kernels.fills import fill_pages, poison_pages, zero_pages
from impl.kernels.grid import PageGrid
from impl.kernels.launch import MOST_PROGRAMS, Launch
from impl.kernels.moves import move_pages
from impl.kernels.tables import update_table
from impl.kernels.translation import translate
from impl.misuse import Misuse

ARENA = torch.arange(256, dtype=torch.int64).to(torch.uint8)
CANARY = Canary(1, 2)


def grid() -> PageGrid:
    return PageGrid(ARENA.clone(), 16, 48)


def numbers(*values: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype)


ONE = numbers(1)
TABLE = numbers(0, 3, 5)

WRONG: list[tuple[str, Callable[[], object], str]] = [
    ("arena", lambda: PageGrid(ARENA.to(torch.int8), 0, 16), "torch.int8"),
    ("arena", lambda: PageGrid(ARENA.numpy(), 0, 16), "ndarray"),  # type: ignore[arg-type]  # what is wrong
    ("arena", lambda: PageGrid(ARENA.view(16, 16), 0, 16), "flat"),
    ("arena", lambda: PageGrid(ARENA[::2], 0, 16), "contiguous"),
    ("arena", lambda: PageGrid(ARENA[8:], 0, 16), "multiple of 16"),
    ("origin", lambda: PageGrid(ARENA, 8, 16), "multiple of 16 from 0"),
    ("origin", lambda: PageGrid(ARENA, -16, 16), "multiple of 16 from 0"),
    ("origin", lambda: PageGrid(ARENA, 0.0, 16), "not an integer"),  # type: ignore[arg-type]  # what is wrong
    ("origin", lambda: PageGrid(ARENA, 240, 32), "no whole page of 32 bytes"),
    ("page_bytes", lambda: PageGrid(ARENA, 0, 24), "multiple of 16"),
    ("page_bytes", lambda: PageGrid(ARENA, 0, 0), "multiple of 16"),
    ("sources", lambda: move_pages(grid(), numbers(1, dtype=torch.int32), ONE), "int32"),
    ("sources", lambda: move_pages(grid(), np.array([1]), ONE), "not a tensor"),  # type: ignore[arg-type]  # what is wrong
    ("targets", lambda: move_pages(grid(), ONE, numbers(2).view(1, 1)), "flat"),
    ("targets", lambda: move_pages(grid(), numbers(0, 1), numbers(2, 0, 3)[::2]), "contiguous"),
    ("targets", lambda: move_pages(grid(), ONE, numbers(5)), "0 to 4 only"),
    ("sources", lambda: move_pages(grid(), numbers(-1), ONE), "0 to 4 only"),
    ("len(sources)", lambda: move_pages(grid(), numbers(0, 1), ONE), "targets has 1"),
    ("sources", lambda: move_pages(grid(), torch.empty(1, dtype=torch.int64, device="meta"), ONE), "same device"),
    ("lane", lambda: move_pages(grid(), ONE, numbers(2), lane="cuda"), "no such lane"),  # type: ignore[arg-type]  # what is wrong
    ("lane", lambda: move_pages(grid(), ONE, numbers(2), lane="triton"), "TRITON_INTERPRET=1"),
    ("ids", lambda: translate(ONE.to(torch.int16), TABLE, 4), "int32 or int64"),
    ("ids", lambda: translate(numbers(1, 2, 3)[::2], TABLE, 4), "contiguous"),
    ("table", lambda: translate(ONE, TABLE.to(torch.int32), 4), "int64"),
    ("table", lambda: translate(ONE, numbers(), 4), "no entry"),
    ("page_tokens", lambda: translate(ONE, TABLE, 0), "1 to 256"),
    ("page_tokens", lambda: translate(ONE, TABLE, 257), "1 to 256"),
    ("page_tokens", lambda: translate(ONE, TABLE, True), "1 to 256"),
    ("unmapped", lambda: translate(ONE, TABLE, 4, unmapped=0.5), "-1"),  # type: ignore[arg-type]  # what is wrong
    ("unmapped", lambda: translate(ONE, TABLE, 4, unmapped=1 << 63), "64 bits"),
    ("unmapped", lambda: translate(ONE, TABLE, 4, unmapped=-(1 << 63) - 1), "64 bits"),
    ("out", lambda: translate(ONE, TABLE, 4, out=ONE.to(torch.int32)), "int64"),
    ("out", lambda: translate(ONE, TABLE, 4, out=numbers(1, 2)), "shape"),
    ("ids", lambda: update_table(TABLE.clone(), numbers(3), ONE), "0 to 2 only"),
    ("ids", lambda: update_table(TABLE.clone(), numbers(-1), ONE), "0 to 2 only"),
    ("len(ids)", lambda: update_table(TABLE.clone(), numbers(0, 1), ONE), "pages has 1"),
    ("pages", lambda: update_table(TABLE.clone(), ONE, ONE.to(torch.int32)), "int64"),
    ("pages", lambda: fill_canary(grid(), numbers(9), CANARY), "0 to 4 only"),
    ("keys", lambda: fill_canary(grid(), ONE, CANARY, keys=ONE.to(torch.int32)), "int64"),
    ("len(keys)", lambda: fill_canary(grid(), ONE, CANARY, keys=numbers(1, 2)), "pages has 1"),
    ("out", lambda: check_canary(grid(), ONE, CANARY, out=numbers(1, 2)), "int64"),
    ("out", lambda: check_canary(grid(), ONE, CANARY, out=torch.zeros(1, 2)), "int64"),
    (
        "out",
        lambda: check_canary(grid(), numbers(1, 2), CANARY, out=torch.zeros(2, 2, dtype=torch.int64).t()),
        "contiguous",
    ),
    (
        "out",
        lambda: check_canary(grid(), ONE, CANARY, out=torch.empty(1, 2, dtype=torch.int64, device="meta")),
        "same device",
    ),
    ("byte", lambda: fill_pages(grid(), ONE, 256), "0 to 255"),
    ("byte", lambda: fill_pages(grid(), ONE, -1), "0 to 255"),
    ("pages", lambda: zero_pages(grid(), numbers(5)), "0 to 4 only"),
    ("pages", lambda: poison_pages(grid(), ONE.to(torch.uint8)), "int64"),
]


@pytest.mark.parametrize(("field", "call", "words"), WRONG, ids=[f"{case[0]}, {case[2]}" for case in WRONG])
def test_a_wrong_argument_is_rejected(field: str, call: Callable[[], object], words: str) -> None:
    with pytest.raises(Misuse, match=words) as caught:
        call()
    assert caught.value.field == field
    assert caught.value.remedy in str(caught.value)


def test_a_rejected_move_changes_nothing() -> None:
    rejected = grid()
    with pytest.raises(Misuse):
        move_pages(rejected, numbers(0, 1), numbers(2, 5))
    assert torch.equal(rejected.arena, ARENA)


def test_nothing_to_do_is_no_misuse() -> None:
    none, untouched = numbers(), grid()
    move_pages(untouched, none, none)
    zero_pages(untouched, none)
    fill_canary(untouched, none, CANARY)
    assert check_canary(untouched, none, CANARY).shape == (0, 2)
    assert translate(none, TABLE, 4).shape == (0,)
    update_table(TABLE, none, none)
    assert torch.equal(untouched.arena, ARENA)


def test_cpu_tensors_take_the_twin_where_nothing_is_interpreted() -> None:
    moved = grid()
    move_pages(moved, numbers(0), numbers(4))
    assert torch.equal(moved.pages[4], moved.pages[0])


def test_a_launch_of_more_programs_than_there_can_be_is_rejected() -> None:
    def kernel(*_: Any) -> None:
        raise AssertionError("it was launched")

    with pytest.raises(Misuse, match="programs"):
        Launch(kernel, MOST_PROGRAMS + 1, torch.device("cpu"), (), {}, 1).run()
