"""Rows are aligned and share no byte, whatever is stored; kinds come in chain order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl.layout import DType, Kind, LayoutError, Lifetime, Options, Stored, chain_of, layout_of
from tests.layout.presets import NAMES

_lifetimes = st.one_of(
    st.just((Lifetime.FULL, None)),
    st.just((Lifetime.STATE, None)),
    st.tuples(st.just(Lifetime.WINDOW), st.integers(1, 4096)),
)


@st.composite
def _stored(draw: st.DrawFn) -> list[Stored]:
    lifetimes = draw(st.lists(_lifetimes, min_size=1, max_size=4, unique=True))
    shapes = st.lists(st.integers(1, 40), min_size=1, max_size=3).map(tuple)
    parts = st.lists(st.tuples(st.sampled_from(lifetimes), shapes, st.sampled_from(DType)), min_size=1, max_size=30)
    return [
        Stored(layer, lifetime, window, f"part{layer}", shape, dtype)
        for layer, ((lifetime, window), shape, dtype) in enumerate(draw(parts))
    ]


def _check(kind: Kind) -> None:
    end = 0
    for row in kind.rows:
        assert row.offset % 16 == 0
        assert row.offset % row.dtype.itemsize == 0
        assert end <= row.offset < end + 16, "rows neither overlap nor lie further apart than alignment asks"
        end = row.offset + row.nbytes
    assert kind.entry_bytes % 16 == 0
    assert end <= kind.entry_bytes < end + 16


@given(_stored(), st.integers(1, 256))
def test_rows_are_aligned_and_disjoint(stored: list[Stored], page_tokens: int) -> None:
    kinds = chain_of(stored, page_tokens)
    for kind in kinds:
        _check(kind)
    placed = [(row.layer, row.part, row.shape, row.dtype) for kind in kinds for row in kind.rows]
    assert sorted(placed, key=lambda row: row[0]) == [(s.layer, s.part, s.shape, s.dtype) for s in stored]


@given(_stored())
def test_the_chain_is_state_then_windows_longest_first_then_full(stored: list[Stored]) -> None:
    kinds = chain_of(stored, 1)
    windows = [kind.window for kind in kinds if kind.window is not None]
    assert windows == sorted(windows, reverse=True)
    order = [kind.lifetime for kind in kinds]
    assert order == sorted(order, key=[Lifetime.STATE, Lifetime.WINDOW, Lifetime.FULL].index)
    assert len({kind.name for kind in kinds}) == len(kinds)


@pytest.mark.parametrize("name", NAMES)
def test_real_entries_are_aligned_and_disjoint(name: str) -> None:
    for tp_size in (1, 2):
        for kind in layout_of(name, Options(tp_size=tp_size)).kinds:
            _check(kind)


def test_the_check_itself_sees_an_overlap() -> None:
    kind = layout_of("gpt-oss-20b").kind("full")
    first, second, *others = kind.rows
    with pytest.raises(AssertionError):
        _check(replace(kind, rows=(first, replace(second, offset=16), *others)))


def test_a_page_larger_than_any_memory_is_refused() -> None:
    huge = Stored(0, Lifetime.FULL, None, "k", (1 << 32,), DType.FP32)
    with pytest.raises(LayoutError, match=r"^full.page_bytes = 4398046511104: is more than"):
        chain_of([huge], 256)
