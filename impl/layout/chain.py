"""Gathers what layers store into kinds, and puts the kinds into the order of their bands."""

from collections.abc import Iterable

from impl.layout.errors import LayoutError
from impl.layout.kinds import Kind, Lifetime
from impl.layout.rows import place
from impl.layout.stored import Stored

# Well above any model's (Kimi K3's state slot has 2**28.7 bytes) and far below where 64-bit addresses could overflow.
MAX_PAGE_BYTES = 1 << 40


def chain_of(stored: Iterable[Stored], page_tokens: int) -> tuple[Kind, ...]:
    """The kinds in chain order, low addresses first: state, windows with the longest first, full.

    With no state kind the longest window so takes the low end.

    Args:
        stored: what each layer stores; the order within a kind is the order of its rows.
        page_tokens: tokens in a page of token kinds.

    Raises:
        LayoutError: a page would be larger than any device's memory.
    """
    groups: dict[tuple[Lifetime, int | None], list[Stored]] = {}
    for part in stored:
        groups.setdefault((part.lifetime, part.window), []).append(part)
    kinds = [_kind(lifetime, window, parts, page_tokens) for (lifetime, window), parts in groups.items()]
    return tuple(sorted(kinds, key=position))


def position(kind: Kind) -> tuple[int, int]:
    """Where a kind stands among those of any chain: it rises along each."""
    order = (Lifetime.STATE, Lifetime.WINDOW, Lifetime.FULL)
    return order.index(kind.lifetime), -(kind.window or 0)


def _kind(lifetime: Lifetime, window: int | None, parts: list[Stored], page_tokens: int) -> Kind:
    rows, entry_bytes = place(parts)
    name = lifetime.value if window is None else f"{lifetime.value}{window}"
    kind = Kind(name, lifetime, window, rows, entry_bytes, 1 if lifetime is Lifetime.STATE else page_tokens)
    if kind.page_bytes > MAX_PAGE_BYTES:
        problem = f"is more than {MAX_PAGE_BYTES} bytes"
        raise LayoutError(f"{name}.page_bytes", kind.page_bytes, problem, "a layer count or a dimension is too large")
    return kind
