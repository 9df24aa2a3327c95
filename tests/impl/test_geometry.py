"""Where bands, pages and rows lie in the arena's bytes."""

from dataclasses import replace

import pytest
import torch

from impl.allocator import Allocator
from impl.chain import SINK_ALIGNMENT, ArenaTooSmall, chain_for
from impl.device.immediate import ImmediateDevice
from impl.device.metadata import MetadataDevice
from impl.device.views import TORCH_DTYPES
from impl.layout import DType, Layout, Lifetime, Options, layout_of, with_fewer_layers
from impl.misuse import Misuse
from tests.impl.toys import filled, toy_kind, toy_layout

MODELS = ("gpt-oss-20b", "qwen3.5-4b", "inkling-small", "kimi-linear-48b-a3b", "gemma-4-31b")


def small(model: str) -> Layout:
    """A real model's kinds with one layer each and pages of two tokens."""
    return with_fewer_layers(layout_of(model, Options(page_tokens=2)), divide_by=1000)


def arena_for(layout: Layout, pages: int = 4) -> int:
    """Bytes for the sink and some pages of each kind."""
    return SINK_ALIGNMENT + sum((pages + 2) * kind.page_bytes for kind in layout.kinds)


@pytest.mark.parametrize("model", MODELS)
def test_every_page_lies_inside_the_arena_and_clear_of_the_sink(model: str) -> None:
    layout = small(model)
    budget = arena_for(layout)
    chain = chain_for(layout, budget)
    assert chain.base % SINK_ALIGNMENT == 0
    assert budget - layout.kinds[-1].page_bytes < chain.capacity <= budget
    for band in chain.bands:
        assert band.origin + band.first * band.page_bytes >= chain.base
        assert band.origin + (band.first - 1) * band.page_bytes < chain.base
        assert band.origin + band.limit * band.page_bytes <= chain.capacity
        assert band.origin + (band.limit + 1) * band.page_bytes > chain.capacity
        if band.kind.lifetime is not Lifetime.STATE:
            assert band.origin == 0
            assert band.page_bytes <= chain.base, "its page 0 is all sink"
            assert band.first > 0
    assert chain.bottom == chain.bands[0].first
    assert chain.top * layout.kinds[-1].page_bytes == chain.capacity
    if layout.kinds[0].lifetime is Lifetime.STATE:
        assert (chain.bands[0].origin, chain.bottom) == (chain.base, 0)


@pytest.mark.parametrize("model", MODELS)
def test_rows_written_through_a_view_lie_where_the_layout_says(model: str) -> None:
    layout = small(model)
    allocator = Allocator(layout, arena_for(layout, 3))
    device = allocator.device
    assert isinstance(device, ImmediateDevice)
    raw = device.arena
    ids = filled(allocator, [2] * len(layout.kinds))
    written = []
    mark = 0
    for band in allocator.chain.bands:
        pages = allocator.translate(band.number, ids[band.number]).tolist()
        for row in band.kind.rows:
            view = allocator.view(row)
            assert view.shape == (band.entries, *row.shape)
            assert view.dtype == TORCH_DTYPES[row.dtype]
            for page in pages:
                for token in range(band.page_tokens):
                    mark += 1
                    view[page * band.page_tokens + token] = mark % 14
                    begin = band.origin + page * band.page_bytes + token * band.kind.entry_bytes + row.offset
                    written.append((begin, row, mark % 14))
    for begin, row, value in written:
        found = raw[begin : begin + row.nbytes].view(TORCH_DTYPES[row.dtype]).reshape(row.shape)
        expected = torch.full(row.shape, value, dtype=torch.float32).to(TORCH_DTYPES[row.dtype])
        assert torch.equal(found.to(torch.float32), expected.to(torch.float32))
    assert not raw[: allocator.chain.base].any(), "nothing was written to the sink"


def twin_layout(*, one_row: bool) -> Layout:
    """Entries of a window begin with a row, and so do those of full attention, which have another behind it."""
    window = toy_kind("window9", 48, 4)
    row = window.rows[0]
    rows = (row if one_row else replace(row), replace(row, part="index_key", offset=48))
    full = replace(toy_kind("full", 96, 4), rows=rows)
    return Layout("toy", "", (window, full), 4, DType.BF16, 1, None)


def test_rows_of_two_kinds_that_are_equal_have_a_view_each() -> None:
    layout = twin_layout(one_row=False)
    allocator = Allocator(layout, 96 * 4 * 30)
    rows = [kind.rows[0] for kind in layout.kinds]
    assert rows[0] == rows[1]
    views = [allocator.view(row) for row in rows]
    assert [view.stride(0) * view.itemsize for view in views] == [48, 96]
    assert [len(view) for view in views] == [band.entries for band in allocator.chain.bands]


def test_a_row_that_several_kinds_have_needs_its_band_said() -> None:
    layout = twin_layout(one_row=True)
    allocator = Allocator(layout, 96 * 4 * 30)
    row = layout.kinds[0].rows[0]
    for asked in (row, replace(row)):
        with pytest.raises(Misuse, match=r"bands \[0, 1\] have one like it; say which band is meant"):
            allocator.view(asked)
        views = [allocator.view(asked, band) for band in (0, 1)]
        assert [view.stride(0) * view.itemsize for view in views] == [48, 96]
    with pytest.raises(Misuse, match="no kind has it"):
        allocator.view(layout.kinds[1].rows[1], 0)


def test_the_sink_is_the_same_for_all_token_kinds_and_is_never_handed_out() -> None:
    layout = toy_layout(("window9", 32), ("full", 48), page_tokens=4)
    allocator = Allocator(layout, 48 * 4 * 20)
    ids = filled(allocator, [4, 6])
    for kind, band in zip(layout.kinds, (0, 1), strict=True):
        view = allocator.view(kind.rows[0])
        view[: kind.page_tokens] = 7.0
        assert not view[allocator.chain.bands[band].first * kind.page_tokens :].any()
        assert 0 not in ids[band], "id 0 translates to the sink's page"
        assert allocator.page_table(band)[0] == 0


def test_entries_beyond_32_bits_are_addressed() -> None:
    layout = layout_of("gpt-oss-120b", Options(page_tokens=1))
    allocator = Allocator(layout, 141 * 10**9, device=MetadataDevice)
    chain = allocator.chain
    last = chain.bands[-1]
    ids = filled(allocator, [0, last.limit // 2])[1]
    pages = allocator.translate(1, ids)
    assert pages.max() * last.page_bytes > 2**32
    assert last.origin + (int(pages.max()) + 1) * last.page_bytes <= chain.capacity


def test_an_arena_without_room_for_a_page_of_each_kind_names_what_is_missing() -> None:
    layout = toy_layout(("state", 64), ("full", 48))
    assert chain_for(layout, 384).capacity == 384
    with pytest.raises(ArenaTooSmall, match=r"1 more needed.*give 384 or more") as caught:
        chain_for(layout, 383)
    assert caught.value.missing == 1


@pytest.mark.parametrize(
    "names", [("full",), ("full", "window9"), ("state", "window9"), ("window9", "state", "full")], ids=" ".join
)
def test_kinds_that_are_no_chain_are_rejected(names: tuple[str, ...]) -> None:
    layout = Layout("toy", "", tuple(toy_kind(name, 32) for name in names), 1, DType.BF16, 1, None)
    with pytest.raises(ValueError, match="kinds"):
        chain_for(layout, 10_000)


def test_a_metadata_arena_of_many_millions_of_pages_costs_nothing_until_it_is_used() -> None:
    layout = layout_of("gpt-oss-20b", Options(page_tokens=1))
    allocator = Allocator(layout, 141 * 10**9, device=MetadataDevice)
    assert allocator.chain.top > 5_000_000
    filled(allocator, [1000, 1000])
    with pytest.raises(TypeError, match="metadata"):
        allocator.page_table(0)
    with pytest.raises(TypeError, match="metadata"):
        allocator.view(layout.kinds[0].rows[0])
