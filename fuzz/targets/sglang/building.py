"""Builds SGLang's allocators by its own factories, small enough that capacity is always at its edge."""

import inspect
import logging
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import torch
from transformers import AutoConfig

from bench.peers import torchvision_absent
from fuzz.targets.sglang import streams

torchvision_absent.install()
_register = AutoConfig.register


def _registered(model_type: str, config: Any, exist_ok: bool = True) -> None:
    """Releases older than the transformers beside them register configurations that it has by itself."""
    _register(model_type, config, exist_ok=True)


AutoConfig.register = _registered
warnings.filterwarnings("ignore", module="sglang")

from sglang.srt.mem_cache import unified_memory_pool as pools  # noqa: E402  # after the stand-in

torch.set_num_threads(1)
logging.disable(logging.WARNING)
streams.install()
try:
    import sglang.srt.mem_cache.allocator.unified_hybrid_swa as composites
    import sglang.srt.mem_cache.allocator.unified_sub_pool as parts
except ImportError:
    # until 0.5.19 they lay in one module
    import sglang.srt.mem_cache.multi_ended_allocator as parts

    composites = parts

SUB_POOLS: Final = parts
"""The module with the bands' allocators."""

COMPOSITES: Final = composites
"""The module with what puts them together."""

IS_OLD: Final = not hasattr(parts.MultiEndedAllocator, "flush_for_allocation")
"""A release whose allocator promises less: no joint capacity, no pages of zeros, no translation of padding."""

if not IS_OLD:
    from sglang.test.unified_allocator_fixtures import setup_allocator_context

    setup_allocator_context()

PAGE_TOKENS: Final = (1, 4, 16)
CHAINS: Final = ("full-window", "full-state", "three")
SETUPS: Final = tuple(
    f"{chain}-{tokens}-{mode}" for mode in ("lazy", "eager") for chain in CHAINS for tokens in PAGE_TOKENS
)
"""The chain, the tokens of a page, and whether pages are compacted when they are freed or later."""

FULL_PAGES, WINDOW_PAGES, STATES = 26, 22, 6
"""What the arena could hold of each kind, of all together."""

_DEVICE: dict[str, Any] = {"device": "cpu", "kv_cache_dtype": torch.float16, "enable_memory_saver": False}
_FULL: dict[str, Any] = {"head_num": 1, "head_dim": 8, "v_head_dim": 8}
_WINDOW: dict[str, Any] = {"swa_head_num": 1, "swa_head_dim": 8, "swa_v_head_dim": 8}


def built(setup: str) -> Any:
    """The allocator of a setup."""
    chain, tokens, mode = setup.rsplit("-", 2)
    return _FACTORIES[chain](int(tokens), mode == "lazy")


def _full_and_window(tokens: int) -> dict[str, Any]:
    # two layers beside three: a page of the one is no multiple of a page of the other
    return {
        **_FULL,
        **_WINDOW,
        "page_size": tokens,
        "start_layer": 0,
        "end_layer": 5,
        "full_attention_layer_ids": [0, 1],
        "swa_attention_layer_ids": [2, 3, 4],
        "full_max_total_num_tokens": FULL_PAGES * tokens,
        "swa_max_total_num_tokens": WINDOW_PAGES * tokens,
    }


def _full_window(tokens: int, lazy: bool) -> Any:
    return _made(
        pools.init_unified_swa_pools,
        **_DEVICE,
        **_full_and_window(tokens),
        need_sort=False,
        lazy_compaction=lazy,
    )


def _full_state(tokens: int, lazy: bool) -> Any:
    return _made(
        pools.init_unified_mamba_pools,
        **_DEVICE,
        **_FULL,
        **_states(tokens),
        page_size=tokens,
        start_layer=0,
        end_layer=3,
        is_draft_worker=False,
        use_mla_backend=False,
        full_attention_layer_ids=[1, 2],
        max_total_num_tokens=FULL_PAGES * tokens,
        speculative_num_draft_tokens=None,
        need_sort=False,
        lazy_compaction=lazy,
    )


def _three(tokens: int, lazy: bool) -> Any:
    return _made(
        pools.init_unified_mamba_swa_pools,
        **_DEVICE,
        **_full_and_window(tokens),
        **_states(tokens),
        sliding_window_size=4 * tokens,
        need_sort=False,
        lazy_compaction=lazy,
    )


_FACTORIES: Final[dict[str, Callable[[int, bool], Any]]] = {
    "full-window": _full_window,
    "full-state": _full_state,
    "three": _three,
}


def _states(tokens: int) -> dict[str, Any]:
    params = SimpleNamespace(
        # of a size that is no multiple of a token's
        shape=SimpleNamespace(conv=[(3, 8)], temporal=(1, 5, 8)),
        dtype=SimpleNamespace(conv=torch.bfloat16, temporal=torch.float32),
        layers=[0],
    )
    return {
        "mamba_layer_ids": [0],
        "mamba2_cache_params": params,
        "max_mamba_cache_size": STATES,
        "model_context_len": 16 * tokens,
        "extra_max_context_len": 1,
        "max_num_reqs": 4,
        "enable_mamba_extra_buffer": False,
        "enable_mamba_extra_buffer_lazy": False,
        "disable_overlap_schedule": True,
    }


def _made(factory: Callable[..., Any], **arguments: Any) -> Any:
    # releases differ in what else they take
    known = inspect.signature(factory).parameters
    return factory(**{name: value for name, value in arguments.items() if name in known}).token_to_kv_pool_allocator
