"""The sorts of models and the features of serving that are spoken of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from impl.layout import Layout, Lifetime


@dataclass(frozen=True)
class Sort:
    """Models that keep the same sorts of memory.

    Attributes:
        says: what they keep.
        presets: models of it whose configurations ship with the package.
        heading: of its column, short.
    """

    says: str
    presets: tuple[str, ...]
    heading: str


SORTS: Final[Mapping[str, Sort]] = {
    "full+window": Sort(
        "full attention and sliding windows", ("gpt-oss-20b", "gpt-oss-120b", "gemma-4-31b"), "full window"
    ),
    "full+state": Sort(
        "full attention and recurrent states", ("qwen3-next-80b-a3b", "qwen3.5-4b", "qwen3.5-9b"), "full state"
    ),
    "mla+state": Sort("latent rows (MLA) and recurrent states", ("kimi-linear-48b-a3b", "kimi-k3"), "mla state"),
    "full+window+state": Sort("full attention, sliding windows and states", ("inkling-small",), "all three"),
    "full": Sort("full attention alone, or latent rows alone", (), "full alone"),
    "mla+window": Sort("latent rows (MLA) of which some live for a window only", (), "mla window"),
    "deepseek-v4": Sort("entries compressed for 4 and for 128 tokens, beside windows", (), "DS-V4"),
}
"""By name."""


def sort_of(layout: Layout) -> str:
    """The sort of a model whose layout is known."""
    lifetimes = {kind.lifetime for kind in layout.kinds if not all(row.draft for row in kind.rows)}
    full = next(kind for kind in layout.kinds if kind.lifetime is Lifetime.FULL)
    kept = ["mla" if any(row.part == "latent" for row in full.rows) else "full"]
    kept += [each.value for each in (Lifetime.WINDOW, Lifetime.STATE) if each in lifetimes]
    return "+".join(kept)


FEATURES: Final[Mapping[str, str]] = {
    "prefix-cache": "what requests have computed stays for those that begin alike",
    "host-tier": "what the prefix cache lets go of stays on the host, or in files",
    "disaggregation": "prompts are computed in one arena, and go on in another",
    "eagle": "speculation: a draft layer over the target's last hidden state",
    "eagle3": "speculation: a draft layer over several of the target's hidden states",
    "dflash": "speculation: a draft that proposes a block at once",
    "dspark": "speculation: a draft with a window of its own",
    "tensor-parallel": "each rank has some heads of every layer",
    "pipeline-parallel": "each rank has some of the layers",
    "decode-context-parallel": "each rank has some of a request's tokens",
    "data-parallel-attention": "each rank has some of the requests",
    "overlap": "a forward is launched before the last one is seen to end",
    "retraction": "the youngest request gives way when memory is short",
    "priority-preemption": "a running request gives way to another, whatever memory there is",
    "pages-of-1": "a page holds one token",
    "large-pages": "a page holds more tokens than a window",
    "fp8-kv": "K, V and latent rows are kept in eight bits",
}
"""By name; what each is."""

CHAINS: Final = ("eagle", "eagle3", "dflash", "dspark")
"""Ways to speculate, of which a request uses one."""

RANKS: Final = ("tensor-parallel", "pipeline-parallel", "decode-context-parallel", "data-parallel-attention")
"""Ways to use several ranks."""
