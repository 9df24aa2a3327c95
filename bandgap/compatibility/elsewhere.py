"""What SGLang's unified memory refuses, and what of it is refused here, too."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Elsewhere:
    """Something that SGLang's unified memory (`--enable-unified-memory`, 0.5.23) does not serve.

    Attributes:
        words: sorts of models, or features.
        says: what is refused there, where that is more than its words.
        here: why it need not be refused here, or what it is that stands against it here as well.
    """

    words: tuple[str, ...]
    says: str
    here: str


SGLANG: Final = (
    Elsewhere(("full",), "", "a chain has two bands or more; with one kind of memory there is nothing to share"),
    Elsewhere(
        ("mla+window",),
        "",
        "allocator and engine serve such a layout, made by hand in a test; no configuration is known to read one from",
    ),
    Elsewhere(("deepseek-v4",), "", "pages of one size in tokens, for all token kinds, are a rule of layouts"),
    Elsewhere(
        ("disaggregation",),
        "with any transport but Mooncake",
        "a transport is whatever keeps the protocol: tests run on a simulated network",
    ),
    Elsewhere(
        ("disaggregation", "pipeline-parallel"),
        "",
        "each stage sends to a stage of the same layout, and a prompt is there when it is there for all",
    ),
    *(
        Elsewhere(
            ("disaggregation", chain),
            "",
            "draft rows lie in the target's entries, and so travel in the same pages",
        )
        for chain in ("eagle", "eagle3", "dflash", "dspark")
    ),
    Elsewhere(
        ("disaggregation", "decode-context-parallel"),
        "",
        "each rank sends its tokens to a rank that has the same ones",
    ),
    *(
        Elsewhere(
            ("host-tier", chain),
            "",
            "draft rows lie in the target's entries, and so are copied with them",
        )
        for chain in ("eagle", "eagle3")
    ),
    Elsewhere(
        ("priority-preemption",),
        "",
        "a running request may give way at any time, and begins anew after those who wait",
    ),
)
"""All that is known of it; none of this is driven in SGLang itself."""
