"""SGLang's unified allocator: a full and a state band in one arena of bytes, on the CPU, with lazy compaction."""

import logging
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import torch

from bench.peers import torchvision_absent

torchvision_absent.install()
warnings.filterwarnings("ignore", module="sglang")

from sglang.srt.mem_cache.allocator.unified_sub_pool import MultiEndedAllocator  # noqa: E402  # after the stand-in
from sglang.srt.mem_cache.unified_memory_pool import (  # noqa: E402
    MambaSubPoolSpec,
    MHASubPoolSpec,
    UnifiedKVPool,
)
from sglang.test.unified_allocator_fixtures import FakeKVCache, setup_allocator_context  # noqa: E402

from bench.timing import per_second, seconds_of  # noqa: E402

torch.set_num_threads(1)
logging.disable(logging.WARNING)
setup_allocator_context()


@cache
def half_full(page_size: int, pages: int) -> tuple[MultiEndedAllocator, torch.Tensor]:
    """An allocator of full attention with so many pages of which half are live, and the ids of the live tokens.

    The state band beside it is empty. A token has 16 bytes of keys and 16 of values, a page `page_size` tokens.
    """
    full = MHASubPoolSpec(
        name="full", layer_num=1, head_num=1, head_dim=8, store_dtype=torch.float16, grow_direction="down"
    )
    state = MambaSubPoolSpec(
        name="mamba",
        layer_num=1,
        conv_state_shapes=((3, 8),),
        conv_dtype=torch.bfloat16,
        temporal_state_shape=(1, 4, 8),
        temporal_dtype=torch.float32,
        grow_direction="up",
    )
    arena = UnifiedKVPool(
        total_bytes=full.entry_bytes() * page_size * (pages + 8),
        sub_pool_specs=[full, state],
        device="cpu",
        enable_memory_saver=False,
        page_size=page_size,
    )

    def band(name: str, page_size: int) -> MultiEndedAllocator:
        return MultiEndedAllocator(
            kvcache=FakeKVCache(arena.max_slots(name)),
            unified_buffer=arena,
            sub_pool_name=name,
            device="cpu",
            is_id_owner=True,
            page_size=page_size,
            lazy_compaction=True,
        )

    allocator, beside = band("full", page_size), band("mamba", 1)
    allocator.bind_peer(beside)
    beside.bind_peer(allocator)
    tokens = allocator.alloc(pages // 2 * page_size)
    assert tokens is not None, "an empty arena holds half of its pages"
    return allocator, tokens


def pairs(page_size: int, pages: int, request_pages: int, seconds: float) -> float:
    """Requests of `request_pages` pages that are allocated and freed per second."""
    allocator, _ = half_full(page_size, pages)
    tokens = request_pages * page_size
    return per_second(lambda: allocator.free(allocator.alloc(tokens)), seconds)


def compaction(page_size: int, pages: int, moves: int) -> float:
    """Seconds to move so many pages into holes that lie in the half of the span away from its frontier."""
    allocator, tokens = half_full(page_size, pages)
    by_page = tokens.view(-1, page_size)
    # the band grows downwards, so its frontier is at the low end
    high_half = allocator.translate_kv_loc(by_page[:, 0]).argsort()[by_page.shape[0] // 2 :]
    chosen = high_half[:: len(high_half) // moves][:moves]
    allocator.free(by_page[chosen].reshape(-1))
    moved = 0

    def flush() -> None:
        nonlocal moved
        moved = allocator.flush_for_allocation()

    took = seconds_of(flush)
    assert moved == moves, f"{moved} pages moved, not {moves}"
    by_page[chosen] = allocator.alloc(moves * page_size).view(-1, page_size)
    return took


CASES: Final[Mapping[str, Callable[..., float]]] = {"pairs": pairs, "compaction": compaction}
