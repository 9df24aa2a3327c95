"""The floor: what one request of the greatest length needs at its worst, so that an arena with less can serve none."""

from typing import Final

from impl.arithmetic.grid import ceil_div
from impl.layout import Kind, Lifetime

STATE_SLOTS: Final = 2
"""Of one request: its own, and one for a handoff, in which a copy of its state is kept (a checkpoint for later requests
with the same prefix) or from which it is taken over (a prefix's checkpoint, a state that was sent or loaded back)."""


def floor_pages(kind: Kind, max_tokens: int) -> int:
    """The pages of a kind without which a request of so many tokens cannot be carried to its end.

    Full attention: all its tokens. A window of W tokens: while a forward that reads W tokens is in flight, the next
    one is given a page for its token; W + 1 tokens that begin anywhere touch up to ceil(W / page) + 1 pages. A prefill
    in chunks of one page needs no more. State: `STATE_SLOTS`.
    """
    if kind.lifetime is Lifetime.STATE:
        return STATE_SLOTS
    in_full = ceil_div(max_tokens, kind.page_tokens)
    if kind.window is None:
        return in_full
    return min(in_full, ceil_div(kind.window, kind.page_tokens) + 1)
