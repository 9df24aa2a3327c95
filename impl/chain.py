"""The chain: how the kinds of a layout share one arena. Frozen geometry, no pages' fates."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from impl.arithmetic.grid import address, ceil_div, first_page_from, pages_until
from impl.floor import floor_pages
from impl.layout import ALIGNMENT, Kind, Layout, Lifetime, Row
from impl.misuse import Misuse
from impl.numbers import as_count, is_integer

SINK_ALIGNMENT: Final = 256
"""Bytes; the first page of the arena begins at a multiple of it."""


class ArenaTooSmall(ValueError):
    """An arena that cannot hold one page of each kind, or not one request of the greatest length.

    Attributes:
        missing: bytes without which no arena of this layout is large enough.
    """

    def __init__(self, arena_bytes: int, missing: int, problem: str, remedy: str) -> None:
        super().__init__(f"arena_bytes = {arena_bytes}: {missing} more needed; {problem}; {remedy}")
        self.missing = missing
        self._said = arena_bytes, missing, problem, remedy

    # so that it can be raised in another process than the one it was made in
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._said


@dataclass(frozen=True, slots=True)
class BandGeometry:
    """Where the pages of one band may lie: page p is bytes `origin + p * page_bytes` and up."""

    number: int
    """Position in the chain, from the low end."""
    kind: Kind
    name: str
    """The kind's name."""
    origin: int
    """First byte of page 0."""
    page_bytes: int
    page_tokens: int
    """Entries in a page: tokens, or 1 state slot."""
    first: int
    """The lowest page that may be handed out; pages below it are the sink's."""
    limit: int
    """The page after the highest that lies inside the arena."""

    @property
    def entries(self) -> int:
        """Entries from page 0 to the last page, those of the sink included."""
        return self.limit * self.page_tokens


@dataclass(frozen=True)
class Chain:
    """The bands in address order, and the bytes base <= byte < capacity that they share.

    Bytes below `base` are the sink: every token band has its page 0 there, so that a padded write lands where nobody's
    page is.
    """

    model: str
    bands: tuple[BandGeometry, ...]
    base: int
    capacity: int
    bottom: int
    """The page at which the first band begins."""
    top: int
    """The page at which the last band ends."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The bands' names, low end first."""
        return tuple(band.name for band in self.bands)

    @cached_property
    def page_bytes(self) -> tuple[int, ...]:
        """Bytes per page of each band."""
        return tuple(band.page_bytes for band in self.bands)

    @cached_property
    def page_tokens(self) -> tuple[int, ...]:
        """Entries per page of each band."""
        return tuple(band.page_tokens for band in self.bands)

    @cached_property
    def origins(self) -> tuple[int, ...]:
        """First byte of page 0 of each band."""
        return tuple(band.origin for band in self.bands)

    def bands_with(self, row: Row) -> list[int]:
        """The bands that have this very row; if there is none, those that have an equal one.

        Rows of two kinds may be equal, so that what a row says does not tell whose it is.
        """
        very = [band.number for band in self.bands if any(row is each for each in band.kind.rows)]
        return very or [band.number for band in self.bands if row in band.kind.rows]

    def number(self, name: str) -> int:
        """The position of the band of that name; KeyError if there is none."""
        for band in self.bands:
            if band.name == name:
                return band.number
        raise KeyError(name)


def chain_for(layout: Layout, arena_bytes: int, max_tokens: int | None = None) -> Chain:
    """The chain of a layout in an arena of at most `arena_bytes` bytes, the sink included.

    What is left over is less than one page of the last band, so that its page grid, like those of all token bands,
    begins at byte 0 and ends with the arena.

    Args:
        layout: the kinds.
        arena_bytes: an upper bound.
        max_tokens: of the longest request that is to be served; None if no length is promised.

    Raises:
        ValueError: the layout is no chain: fewer than two kinds, or the last is not full attention.
        Misuse: `arena_bytes` is no count of bytes, or `max_tokens` no positive integer.
        ArenaTooSmall: there is no room for one page of each kind, or for one request of `max_tokens` alone.
    """
    arena_bytes = as_count(arena_bytes, "arena_bytes")
    kinds = layout.kinds
    if len(kinds) < 2 or kinds[-1].lifetime is not Lifetime.FULL:
        raise ValueError(f"kinds {[kind.name for kind in kinds]}: need two or more, full attention last")
    if any(kind.lifetime is Lifetime.STATE for kind in kinds[1:]):
        raise ValueError(f"kinds {[kind.name for kind in kinds]}: state must be at the low end")
    for kind in kinds:
        if kind.entry_bytes % ALIGNMENT:
            raise ValueError(f"kind {kind.name}: entries of {kind.entry_bytes} bytes are not aligned to {ALIGNMENT}")
    sink = max(kind.page_bytes for kind in kinds if kind.lifetime is not Lifetime.STATE)
    base = ceil_div(sink, SINK_ALIGNMENT) * SINK_ALIGNMENT
    last = kinds[-1]
    top = arena_bytes // last.page_bytes
    capacity = top * last.page_bytes
    bands = tuple(_band(number, kind, base, capacity) for number, kind in enumerate(kinds))
    if max_tokens is not None:
        _check_floor(bands, base, arena_bytes, max_tokens)
    least = _least_bytes(bands, base, [1 for _ in bands])
    if arena_bytes < least:
        problem = f"the sink and one page of each of {[kind.name for kind in kinds]} take {least} bytes"
        raise ArenaTooSmall(arena_bytes, least - arena_bytes, problem, f"give {least} or more")
    return Chain(layout.model, bands, base, capacity, bands[0].first, top)


def _band(number: int, kind: Kind, base: int, capacity: int) -> BandGeometry:
    # state pages are large, so they begin right above the sink instead of at a multiple of their own size
    origin = base if kind.lifetime is Lifetime.STATE else 0
    assert origin % ALIGNMENT == 0, "a band's rows are loaded 16 bytes at a time"
    size = kind.page_bytes
    first, limit = first_page_from(origin, size, base), pages_until(origin, size, capacity)
    return BandGeometry(number, kind, kind.name, origin, size, kind.page_tokens, first, limit)


def _least_bytes(bands: tuple[BandGeometry, ...], base: int, counts: Sequence[int]) -> int:
    """The bytes of the smallest arena that can hold so many pages of each band at once."""
    end = base
    for band, count in zip(bands, counts, strict=True):
        page = first_page_from(band.origin, band.page_bytes, end)
        end = address(band.origin, band.page_bytes, page + count)
    return ceil_div(end, bands[-1].page_bytes) * bands[-1].page_bytes


def _check_floor(bands: tuple[BandGeometry, ...], base: int, arena_bytes: int, max_tokens: int) -> None:
    if not is_integer(max_tokens) or max_tokens < 1:
        raise Misuse("max_tokens", max_tokens, "not a count of tokens", "give a positive integer")

    def least(tokens: int) -> int:
        return _least_bytes(bands, base, [floor_pages(band.kind, tokens) for band in bands])

    if arena_bytes >= least(max_tokens):
        return
    needs = [(band, floor_pages(band.kind, max_tokens)) for band in bands]
    shown = ", ".join(f"{count} pages of {band.name} ({count * band.page_bytes} bytes)" for band, count in needs)
    problem = f"a request of {max_tokens} tokens takes {shown} above a sink of {base} bytes"
    # the least bytes never fall as tokens rise
    longest = bisect_right(range(1, max_tokens), arena_bytes, key=least)
    shorter = f", or max_tokens = {longest} at most" if longest else ""
    missing = least(max_tokens) - arena_bytes
    raise ArenaTooSmall(arena_bytes, missing, problem, f"give {least(max_tokens)} or more{shorter}")
