"""Builds vLLM's KV cache manager for several mixtures of groups, with pools so small that admission is at its edge."""

import logging
from functools import partial
from typing import Any, Final

import torch
from vllm.sampling_params import SamplingParams
from vllm.utils.hashing import sha256
from vllm.v1.core.kv_cache_manager import KVCacheManager
from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
from vllm.v1.kv_cache_interface import (
    FullAttentionSpec,
    KVCacheConfig,
    KVCacheGroupSpec,
    MambaSpec,
    SlidingWindowSpec,
)
from vllm.v1.request import Request

try:
    from vllm.v1.core.kv_cache_planning import unify_kv_cache_spec_page_size
except ImportError:
    # until 0.32.0 it lay with the other helpers
    from vllm.v1.core.kv_cache_utils import unify_kv_cache_spec_page_size

torch.set_num_threads(1)
logging.disable(logging.WARNING)
init_none_hash(sha256)

BLOCK: Final = 16
"""Tokens in a block."""

WINDOW: Final = 64
"""Tokens of the sliding window, the one that is computed included."""

LONGEST: Final = 640
"""Tokens that a request may have."""

GROUPS: Final = {
    "full": ("full",),
    "full-window": ("full", "window"),
    "full-state": ("full", "state"),
    "full-window-state": ("full", "window", "state"),
}

SETUPS: Final = tuple(
    f"{groups}-{caching}-{blocks}" for blocks in (40, 90) for caching in ("cached", "plain") for groups in GROUPS
)
"""The groups, whether prefixes are cached, and the blocks of the pool."""

_HASHER: Final = get_request_block_hasher(BLOCK, sha256)
_SAMPLING: Final = SamplingParams(max_tokens=LONGEST)


def built(setup: str) -> tuple[KVCacheManager, tuple[str, ...]]:
    """The manager of a setup, and its groups in order."""
    name, caching, blocks = setup.rsplit("-", 2)
    groups, cached = GROUPS[name], caching == "cached"
    attention: dict[str, Any] = {"block_size": BLOCK, "num_kv_heads": 2, "head_size": 64, "dtype": torch.bfloat16}
    makers = {
        "full": partial(FullAttentionSpec, **attention),
        "window": partial(SlidingWindowSpec, **attention, sliding_window=WINDOW),
        "state": partial(
            MambaSpec, block_size=BLOCK, shapes=((1500,),), dtypes=(torch.float32,), mamba_cache_mode="align"
        ),
    }
    specs = unify_kv_cache_spec_page_size({group: makers[group]() for group in groups})
    config = KVCacheConfig(
        num_blocks=int(blocks),
        kv_cache_tensors=[],
        kv_cache_groups=[KVCacheGroupSpec([group], specs[group]) for group in groups],
    )
    manager = KVCacheManager(
        config, max_model_len=LONGEST, scheduler_block_size=BLOCK, hash_block_size=BLOCK, enable_caching=cached
    )
    return manager, groups


def request_of(name: str, tokens: list[int]) -> Request:
    """A request that is new to the manager."""
    return Request(name, tokens, _SAMPLING, None, block_hasher=_HASHER)
