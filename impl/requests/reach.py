"""Which pages of a kind so many tokens fill, and which of them are still needed. Pure arithmetic of one request.

Pages of a request are counted from its first token: place p of a token kind holds tokens `p * page_tokens` and up. A
state has one place, 0.
"""

from impl.arithmetic.grid import ceil_div
from impl.layout import Kind, Lifetime


def places(kind: Kind, tokens: int) -> int:
    """The places that the first so many tokens fill; a state has its place from the start."""
    return 1 if kind.lifetime is Lifetime.STATE else ceil_div(tokens, kind.page_tokens)


def first_needed(kind: Kind, settled: int) -> int:
    """The first place that a token after the first `settled` ones still reads, or will be written to.

    The token at position t reads the W tokens that end with it, from t - W + 1 on.
    """
    if kind.window is None:
        return 0
    return max(0, settled - kind.window + 1) // kind.page_tokens


def first_written(kind: Kind, tokens: int) -> int:
    """The place to which the token after the first so many is written; a state is written by every token."""
    return 0 if kind.lifetime is Lifetime.STATE else tokens // kind.page_tokens
