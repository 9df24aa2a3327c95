"""What fits into an amount of memory.

Everything here is an upper bound: the whole memory is the arena, and sinks, page tables and the bytes of a gap that are
too few for a page are not counted.
"""

from dataclasses import dataclass

from impl.layout.kinds import Kind, Layout, Lifetime


@dataclass(frozen=True, slots=True)
class Load:
    """How many requests of one length fit at once."""

    context: int
    """Tokens of each request."""
    pages: dict[str, int]
    """Of each kind, for one request."""
    request_bytes: int
    """Of all its pages."""
    requests: int


def pages_for(kind: Kind, context: int) -> int:
    """The most pages of a kind that one request of so many tokens holds between two steps.

    A window of W tokens that does not begin with a page touches one page more than it fills.
    """
    if kind.lifetime is Lifetime.STATE:
        return 1
    in_full = -(-context // kind.page_tokens)
    if kind.window is None:
        return in_full
    return min(in_full, -(-(kind.window - 1) // kind.page_tokens) + 1)


def load(layout: Layout, context: int, memory_bytes: int) -> Load:
    """How many requests of `context` tokens fit in `memory_bytes`."""
    pages = {kind.name: pages_for(kind, context) for kind in layout.kinds}
    request_bytes = sum(pages[kind.name] * kind.page_bytes for kind in layout.kinds)
    return Load(context, pages, request_bytes, memory_bytes // request_bytes)


def pages_alone(kind: Kind, memory_bytes: int) -> int:
    """Pages of one kind if it had the memory to itself."""
    return memory_bytes // kind.page_bytes
