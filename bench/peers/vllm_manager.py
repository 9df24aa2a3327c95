"""vLLM's KV cache manager: full attention, a sliding window and Mamba state in one pool of equal blocks, on the CPU."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Final

import torch
from vllm.sampling_params import SamplingParams
from vllm.v1.core.kv_cache_manager import KVCacheManager
from vllm.v1.core.kv_cache_planning import unify_kv_cache_spec_page_size
from vllm.v1.kv_cache_interface import (
    FullAttentionSpec,
    KVCacheConfig,
    KVCacheGroupSpec,
    MambaSpec,
    SlidingWindowSpec,
)
from vllm.v1.request import Request, RequestStatus

from bench.timing import seconds_of

torch.set_num_threads(1)

BLOCK: Final = 16
"""Tokens in a block."""

_NEXT = count()


def decode(requests: int, context: int, window: int, steps: int) -> float:
    """Request-steps per second while so many requests grow by one token in each of so many steps.

    The requests begin with `context` tokens and up. Prefix caching is off, since nothing that this is compared with
    looks for prefixes; it costs about a sixth of the rate.
    """
    manager = _manager(requests * 4 * (context + requests + steps) // BLOCK, window)
    running = [_started(manager, context + number) for number in range(requests)]

    def work() -> None:
        for _ in range(steps):
            manager.new_step_starts()
            for request in running:
                request.append_output_token_ids(7)
                assert manager.allocate_slots(request, 1) is not None, "the pool is large enough"
                request.num_computed_tokens += 1

    return requests * steps / seconds_of(work)


def _manager(blocks: int, window: int) -> KVCacheManager:
    attention = {"block_size": BLOCK, "num_kv_heads": 2, "head_size": 64, "dtype": torch.bfloat16}
    specs = unify_kv_cache_spec_page_size(
        {
            "full": FullAttentionSpec(**attention),
            "window": SlidingWindowSpec(**attention, sliding_window=window),
            "state": MambaSpec(block_size=BLOCK, shapes=((1500,),), dtypes=(torch.float32,), mamba_cache_mode="align"),
        }
    )
    config = KVCacheConfig(
        num_blocks=blocks,
        kv_cache_tensors=[],
        kv_cache_groups=[KVCacheGroupSpec([name], spec) for name, spec in specs.items()],
    )
    return KVCacheManager(
        config, max_model_len=blocks * BLOCK, scheduler_block_size=BLOCK, hash_block_size=BLOCK, enable_caching=False
    )


def _started(manager: KVCacheManager, tokens: int) -> Request:
    number = next(_NEXT)
    request = Request(str(number), [number] * tokens, SamplingParams(max_tokens=1 << 20), None)
    manager.new_step_starts()
    assert manager.allocate_slots(request, tokens) is not None, "the pool is large enough"
    request.status = RequestStatus.RUNNING
    request.num_computed_tokens = tokens
    return request


CASES: Final[Mapping[str, Callable[..., float]]] = {"decode": decode}
