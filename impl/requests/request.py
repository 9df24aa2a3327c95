"""What is remembered of one request."""

from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class Request:
    """A request and its pages; only `Requests` changes it.

    settled <= launched <= tokens.
    """

    pages: tuple[list[int], ...]
    """Of each band the virtual pages of its places, in order, from `first` on."""
    first: list[int]
    """Of each band the place of the first of its pages: those before it have slid out of a window."""
    tokens: int = 0
    """That have pages, the speculative ones included."""
    launched: int = 0
    """Those of them that were handed to a forward."""
    settled: int = 0
    """Those of them that are final: they are never rolled back."""
    finished: bool = False
    """Whether it has given everything back."""

    def page_at(self, band: int, place: int) -> int | None:
        """The virtual page at a place, or None if it has none there."""
        index = place - self.first[band]
        return self.pages[band][index] if 0 <= index < len(self.pages[band]) else None
