"""A request and the pages that it has."""

from dataclasses import dataclass, field

from impl.layout import Kind, Lifetime

MOST_WINDOW_PAGES = 6
"""Windows of real models are longer than a small arena; in pages, a window counts as at most this long."""


@dataclass(eq=False)
class Request:
    """What an engine remembers of one request.

    Attributes:
        tokens: how many have a page.
        launched: how many of these were handed to a forward.
        pages: of each band its virtual pages; of a window those that it still reaches.
        first: of each band the place in the whole context, in pages, of the first of them.
        forwards: outstanding tickets of forwards that it took part in.
    """

    tokens: int
    pages: list[list[int]]
    first: list[int]
    launched: int = 0
    forwards: set[int] = field(default_factory=set)


def window_tokens(kind: Kind) -> int:
    """The tokens that a window of this kind reaches back."""
    assert kind.window is not None  # it is a window
    return min(kind.window, MOST_WINDOW_PAGES * kind.page_tokens)


def first_needed(kind: Kind, tokens: int) -> int:
    """The place, in pages, of the first page that the next token still needs."""
    if kind.lifetime is Lifetime.WINDOW:
        return max(0, tokens - window_tokens(kind) + 1) // kind.page_tokens
    return 0


def first_written(kind: Kind, launched: int) -> int:
    """The place, in pages, of the first page that the token after these is written to; each overwrites a state."""
    return 0 if kind.lifetime is Lifetime.STATE else launched // kind.page_tokens


def pages_covering(kind: Kind, tokens: int) -> int:
    """Pages of a kind that so many tokens fill, from the first of the context; one for a state."""
    return 1 if kind.lifetime is Lifetime.STATE else -(-tokens // kind.page_tokens)
