"""How much host memory an allocator's tables take: they are made once and never grow."""

import tracemalloc

import pytest

from impl.allocator import Allocator
from impl.band import empty_bands
from impl.chain import chain_for
from impl.device.metadata import MetadataDevice
from impl.layout import Options, layout_of
from tests.impl.toys import filled

ARENA_BYTES = 141 * 10**9


def traced(model: str) -> tuple[Allocator, int]:
    """An allocator for a whole device's memory at page size 1, and the bytes that were allocated for it."""
    layout = layout_of(model, Options(page_tokens=1))
    tracemalloc.start()
    try:
        allocator = Allocator(layout, ARENA_BYTES, device=MetadataDevice)
        return allocator, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_the_tables_for_141_gb_at_page_size_1_take_less_than_a_gigabyte() -> None:
    allocator, most = traced("gpt-oss-20b")
    pages = sum(band.limit for band in allocator.chain.bands)
    assert pages > 2 * 5_700_000, "either band could have the arena to itself"
    assert most < 10**9
    assert most < 62 * pages + (1 << 20), f"{most / pages:.1f} bytes per page"


@pytest.mark.parametrize("model", ["gpt-oss-20b", "kimi-linear-48b-a3b"])
def test_the_largest_id_and_address_of_a_large_arena_can_be_used(model: str) -> None:
    allocator, _ = traced(model)
    last = allocator.chain.bands[-1]
    ids = filled(allocator, [0] * last.number + [last.limit - last.first - 64])[last.number]
    pages = allocator.translate(last.number, ids[-3:])
    assert allocator.translate(last.number, ids[:1])[0] * last.page_bytes > 2**36, "bytes beyond 32 bits"
    ticket = allocator.open("forward", "main")
    assert allocator.hold(ticket, last.number, ids[-3:], "write").tolist() == pages.tolist()
    allocator.release(last.number, ids)
    allocator.complete(ticket)
    assert allocator.statistics().kinds[last.number].span == 0


def test_what_is_only_scratch_is_there_once() -> None:
    layout = layout_of("gemma-4-31b", Options(page_tokens=64))
    bands = empty_bands(chain_for(layout, 10**9))
    assert len({id(band.sieve) for band in bands}) == 1
