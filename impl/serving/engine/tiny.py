"""Real models' patterns in sizes that a test can compute: the same layer types in the same order, small heads."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from impl.layout import Layout, Options, layout_of_config
from impl.layout.configs import read_config
from impl.misuse import Misuse

PATTERNS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "gpt-oss-20b": 4,
        "gemma-4-31b": 6,
        "qwen3-next-80b-a3b": 4,
        "qwen3.5-4b": 4,
        "kimi-linear-48b-a3b": 4,
        "kimi-k3": 5,
        "inkling-small": 6,
    }
)
"""Presets, and how many of their layers hold the whole pattern once. Kimi K3 ends with two full layers in a row."""

PAGE_TOKENS: Final = 4
"""Tokens in a page where nothing else is chosen: a window of 10 tokens takes up to four pages."""

_SIZES: Final = MappingProxyType(
    {
        "hidden_size": 32,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "num_global_key_value_heads": 1,
        "global_head_dim": 16,
        "swa_num_attention_heads": 4,
        "swa_num_key_value_heads": 2,
        "swa_head_dim": 8,
        "sliding_window": 10,
        "sliding_window_size": 10,
        "kv_lora_rank": 16,
        "qk_rope_head_dim": 8,
        "num_heads": 4,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
    }
)


def tiny(preset: str, options: Options | None = None, *, layers: int | None = None) -> Layout:
    """The layout of a small model in a preset's pattern.

    Args:
        preset: one of `PATTERNS`.
        options: pages of `PAGE_TOKENS` tokens if left out.
        layers: of the model; those that hold the whole pattern once if left out.

    Raises:
        Misuse: there is no such pattern.
        LayoutError: the options do not fit the model.
    """
    if preset not in PATTERNS:
        raise Misuse("preset", preset, "no pattern", f"give one of {', '.join(PATTERNS)}")
    small = _shrunk(read_config(preset).top.values, layers or PATTERNS[preset])
    return layout_of_config(f"tiny {preset}", small, options or Options(page_tokens=PAGE_TOKENS))


def _shrunk(fields: Mapping[str, Any], layers: int) -> dict[str, Any]:
    """The same fields, of the first so many layers and in small sizes."""
    small: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Mapping):
            small[name] = _shrunk(value, layers)
        elif name == "num_hidden_layers":
            small[name] = layers
        elif name == "layer_types":
            small[name] = value[:layers]
        elif name == "local_layer_ids":
            small[name] = [layer for layer in value if layer < layers]
        elif name == "kda_layers":
            # counted from 1; the last layer is always a full one
            small[name] = [layer for layer in value if layer < min(4, layers)]
        elif name == "full_attn_layers":
            small[name] = list(range(4, layers + 1))
        else:
            small[name] = _SIZES.get(name, value)
    return small
