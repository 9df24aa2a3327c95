import numpy as np
import pytest
import torch

from fuzz.contents.memory import Memory
from fuzz.contents.patterns import Patterns
from fuzz.setups import Setup, setup_names, setup_of
from fuzz.targets.own import OWN
from fuzz.targets.protocol import Built
from impl.layout import DType, Row


def _built(setup: Setup) -> Built:
    return OWN.build(setup.layout, setup.arena_bytes, lambda _: None, lambda _: None)


@pytest.mark.parametrize("name", setup_names())
def test_what_is_written_through_the_views_is_read_by_the_law_of_bytes(name: str) -> None:
    built = _built(setup_of(name))
    memory = Memory(built)
    for band in built.allocator.chain.bands:
        pages = range(band.first, min(band.limit, band.first + 3))
        for page in pages:
            memory.write(band.number, page, 100 + page)
        for page in pages:
            assert memory.shows(band.number, page, 100 + page)
            assert not memory.shows(band.number, page, 101 + page)
    assert memory.sink_is_untouched()


@pytest.mark.parametrize("name", setup_names())
def test_patterns_are_finite_in_every_row(name: str) -> None:
    built = _built(setup_of(name))
    memory = Memory(built)
    for band in built.allocator.chain.bands:
        for value in range(1, 9):
            memory.write(band.number, band.first, value)
            for row in band.kind.rows:
                view = built.allocator.view(row)
                entries = view[band.first * band.page_tokens : (band.first + 1) * band.page_tokens]
                assert torch.isfinite(entries.to(torch.float32)).all()


def test_tokens_rows_and_values_differ() -> None:
    built = _built(setup_of("toy-four"))
    band = built.allocator.chain.bands[1]
    patterns = Patterns(band, built.allocator.view)
    words = np.frombuffer(patterns.image(1) + patterns.image(2), np.uint64)
    words = words[words != 0]  # what lies between rows is left out
    assert len(words) > 20
    assert len(np.unique(words)) == len(words)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda view, row: torch.roll(view, 1, 0),
        lambda view, row: view.flip(-1).clone(),
        lambda view, row: view.clone(),
    ],
)
def test_a_view_of_other_bytes_shows(wrong: object) -> None:
    built = _built(setup_of("toy-window-full"))

    class Mistaken:
        chain = built.allocator.chain

        def view(self, row: Row) -> torch.Tensor:
            return wrong(built.allocator.view(row).view(torch.uint8), row).view(  # type: ignore[operator,no-any-return]  # any function of two
                built.allocator.view(row).dtype
            )

    memory = Memory(Built(Mistaken(), built.find_arena))  # type: ignore[arg-type]  # only these two are asked
    page = built.allocator.chain.bands[0].first
    memory.write(0, page, 3)
    assert not memory.shows(0, page, 3)


def test_a_view_of_the_right_bytes_in_another_dtype_shows() -> None:
    built = _built(setup_of("toy-window-full"))

    class Mistaken:
        chain = built.allocator.chain

        def view(self, row: Row) -> torch.Tensor:
            view = built.allocator.view(row)
            return view.view(torch.int16 if view.itemsize == 2 else torch.int32 if view.itemsize == 4 else torch.int8)

    memory = Memory(Built(Mistaken(), built.find_arena))  # type: ignore[arg-type]  # only these two are asked
    for band in built.allocator.chain.bands:
        memory.write(band.number, band.first, 3)
        assert not memory.shows(band.number, band.first, 3)


def test_every_byte_of_a_row_counts_and_none_between_rows() -> None:
    built = _built(setup_of("toy-four"))
    memory = Memory(built)
    band = built.allocator.chain.bands[1]
    begin = band.origin + band.first * band.page_bytes
    memory.write(1, band.first, 5)
    kinds = {row.offset + n for row in band.kind.rows for n in range(row.nbytes)}
    assert len(kinds) < band.kind.entry_bytes
    for byte in range(band.page_bytes):
        built.arena[begin + byte] ^= 1
        in_a_row = byte % band.kind.entry_bytes in kinds
        assert memory.shows(1, band.first, 5) != in_a_row
        if in_a_row:
            assert memory.first_wrong_byte(1, band.first, 5) == begin + byte
        built.arena[begin + byte] ^= 1


def test_a_write_to_the_sink_shows() -> None:
    built = _built(setup_of("toy-three"))
    memory = Memory(built)
    built.arena[0] ^= 1
    assert not memory.sink_is_untouched()


def test_every_dtype_is_in_some_setup() -> None:
    rows = [row for name in setup_names() for kind in setup_of(name).layout.kinds for row in kind.rows]
    assert {row.dtype for row in rows} == set(DType)
