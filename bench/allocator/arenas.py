"""Arenas to measure in: the smallest entries that a band can have, so that bookkeeping is what takes time."""

from collections.abc import Callable
from typing import Final

from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.protocol import Device
from impl.layout import DType, Kind, Layout, Lifetime, Row
from impl.numbers import Int64
from impl.plan import Grant

ENTRY_BYTES: Final = {"state": 176, "window": 32, "full": 32}
"""Bytes per entry of each kind, those of the peers' smallest arenas."""


def layout_of(page_tokens: int, window: int | None = None, entry_bytes: int = ENTRY_BYTES["full"]) -> Layout:
    """A state and a full band, and a window band of so many tokens if one is given.

    Args:
        page_tokens: tokens in a page.
        window: tokens.
        entry_bytes: of the full band.
    """
    kinds = [_kind("state", Lifetime.STATE, 1, ENTRY_BYTES["state"])]
    if window is not None:
        kinds.append(_kind(f"window{window}", Lifetime.WINDOW, page_tokens, ENTRY_BYTES["window"], window))
    kinds.append(_kind("full", Lifetime.FULL, page_tokens, entry_bytes))
    return Layout("bench", "", tuple(kinds), page_tokens, DType.UINT8, 1, None)


def _kind(name: str, lifetime: Lifetime, page_tokens: int, entry_bytes: int, window: int | None = None) -> Kind:
    row = Row(0, "bytes", (entry_bytes,), DType.UINT8, 0)
    return Kind(name, lifetime, window, (row,), entry_bytes, page_tokens)


def filled(
    page_tokens: int, pages: int, share: float, device: Callable[[Chain], Device] | None = None
) -> tuple[Allocator, Int64]:
    """An allocator with so many pages of full attention, a share of which are live, and their ids.

    The state band beside it is empty.
    """
    layout = layout_of(page_tokens)
    allocator = Allocator(layout, (pages + 8) * layout.kind("full").page_bytes, device=device)
    return allocator, granted(allocator.allocate({"full": int(pages * share)})).ids[allocator.band("full")]


def granted(answer: object) -> Grant:
    """The grant of an arena that is large enough."""
    assert isinstance(answer, Grant), f"the arena is too small: {answer}"
    return answer
