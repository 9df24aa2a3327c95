"""How a budget is divided into pools: by the two ratios that engines take, or by shares."""

from collections.abc import Sequence
from dataclasses import dataclass

from impl.layout import Layout, Lifetime


@dataclass(frozen=True, slots=True)
class Ratios:
    """What an engine with split pools is told before it starts."""

    swa_full_tokens: float = 0.8
    """Tokens of each window pool for each token of the full pool (`swa_full_tokens_ratio`)."""
    mamba_full_memory: float = 0.9
    """Bytes of the state pool for each byte of all other pools (`mamba_full_memory_ratio`)."""


def pages_by_ratios(layout: Layout, budget: int, ratios: Ratios) -> tuple[int, ...]:
    """Pages of each pool; the bytes of the states come off first, as the ratio is of memory, not of tokens."""
    m = ratios.mamba_full_memory
    has_state = any(kind.lifetime is Lifetime.STATE for kind in layout.kinds)
    states = budget * m / (1 + m) if has_state else 0.0
    per_token = sum(
        kind.entry_bytes * (1.0 if kind.window is None else ratios.swa_full_tokens)
        for kind in layout.kinds
        if kind.lifetime is not Lifetime.STATE
    )
    full_tokens = (budget - states) / per_token
    pages = []
    for kind in layout.kinds:
        if kind.lifetime is Lifetime.STATE:
            pages.append(int(states // kind.page_bytes))
        else:
            tokens = full_tokens * (1.0 if kind.window is None else ratios.swa_full_tokens)
            pages.append(int(tokens // kind.page_tokens))
    return tuple(max(1, count) for count in pages)


def pages_by_shares(layout: Layout, budget: int, shares: Sequence[float]) -> tuple[int, ...]:
    """Pages of each pool, which has this share of the budget."""
    whole = sum(shares)
    sizes = zip(shares, layout.kinds, strict=True)
    return tuple(max(1, int(budget * share / whole // kind.page_bytes)) for share, kind in sizes)


def ratios_of(layout: Layout, pages: Sequence[int]) -> dict[str, float]:
    """The ratios that would give these pools, for those that the model has."""
    full = layout.kinds[-1]
    full_tokens = pages[-1] * full.page_tokens
    others = sum(
        count * kind.page_bytes
        for count, kind in zip(pages, layout.kinds, strict=True)
        if kind.lifetime is not Lifetime.STATE
    )
    found: dict[str, float] = {}
    for count, kind in zip(pages, layout.kinds, strict=True):
        if kind.lifetime is Lifetime.STATE:
            found["mamba_full_memory_ratio"] = count * kind.page_bytes / others
        elif kind.window is not None:
            found.setdefault("swa_full_tokens_ratio", count * kind.page_tokens / full_tokens)
    return found
