"""A layout with fewer layers is the same model, smaller."""

import pytest

from impl.layout import Draft, DType, Options, layout_of, with_fewer_layers
from tests.layout.presets import NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("divide_by", [2, 8, 10_000])
def test_rows_pages_and_chain_stay(name: str, divide_by: int) -> None:
    whole = layout_of(name)
    small = with_fewer_layers(whole, divide_by=divide_by)
    assert [kind.name for kind in small.kinds] == [kind.name for kind in whole.kinds]
    for kind, was in zip(small.kinds, whole.kinds, strict=True):
        assert {(r.part, r.shape, r.dtype) for r in kind.rows} == {(r.part, r.shape, r.dtype) for r in was.rows}
        assert (kind.lifetime, kind.window, kind.page_tokens) == (was.lifetime, was.window, was.page_tokens)
        assert kind.entry_bytes < was.entry_bytes
        assert kind.entry_bytes == sum(row.nbytes for row in kind.rows)


@pytest.mark.parametrize(("name", "divide_by"), [("qwen3.5-4b", 8), ("gpt-oss-20b", 12), ("gemma-4-31b", 10)])
def test_ratios_stay_where_layers_divide(name: str, divide_by: int) -> None:
    whole = layout_of(name)
    small = with_fewer_layers(whole, divide_by=divide_by)
    for kind, was in zip(small.kinds, whole.kinds, strict=True):
        assert kind.page_bytes * divide_by == was.page_bytes


def test_one_layer_of_each_kind() -> None:
    small = with_fewer_layers(layout_of("kimi-k3"), divide_by=10_000)
    assert {kind.name: [row.layer for row in kind.rows] for kind in small.kinds} == {"state": [0, 0], "full": [3]}


def test_dividing_by_one_changes_nothing() -> None:
    assert with_fewer_layers(layout_of("inkling-small"), divide_by=1) == layout_of("inkling-small")


def test_fused_draft_rows_remain() -> None:
    whole = layout_of("gpt-oss-20b", Options(draft=Draft(1, DType.FP8_E4M3)))
    rows = with_fewer_layers(whole, divide_by=12).kind("full").rows
    assert [(row.part, row.draft, row.dtype) for row in rows] == [
        ("k", False, DType.BF16),
        ("v", False, DType.BF16),
        ("k", True, DType.FP8_E4M3),
        ("v", True, DType.FP8_E4M3),
    ]


def test_less_than_one_is_refused() -> None:
    with pytest.raises(ValueError, match="divide_by = 0"):
        with_fewer_layers(layout_of("gpt-oss-20b"), divide_by=0)
