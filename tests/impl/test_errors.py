"""Errors say field, value and remedy, and arrive whole from another process."""

import pickle

import pytest

from impl.allocator import Allocator
from impl.chain import ArenaTooSmall
from impl.layout.errors import LayoutError, UnsupportedModel
from impl.misuse import Misuse
from tests.impl.toys import toy_layout

ERRORS = [
    Misuse("ids", 7, "is not alive", "name others"),
    ArenaTooSmall(10, 90, "too little", "give 100"),
    LayoutError("tp_size", 3, "does not divide", "give 2"),
    UnsupportedModel("model_type", "x", "is not served", "give another"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_the_same_in_another_process(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


@pytest.mark.parametrize("size", ["64MB", -1, 1.5, None, True])
def test_an_arena_has_a_count_of_bytes(size: object) -> None:
    with pytest.raises(Misuse, match="arena_bytes"):
        Allocator(toy_layout(("state", 64), ("full", 32)), size)  # type: ignore[arg-type]  # wrong on purpose
