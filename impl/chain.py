"""The chain: how the kinds of a layout share one arena.  Frozen geometry, no pages' fates."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from impl.arithmetic.grid import address, ceil_div, first_page_from, pages_until
from impl.layout import ALIGNMENT, Kind, Layout, Lifetime

SINK_ALIGNMENT: Final = 256
"""Bytes; the first page of the arena begins at a multiple of it."""


class ArenaTooSmall(ValueError):
    """An arena that cannot hold one page of each kind: how many bytes it has and needs."""


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

    def number(self, name: str) -> int:
        """The position of the band of that name; KeyError if there is none."""
        for band in self.bands:
            if band.name == name:
                return band.number
        raise KeyError(name)


def chain_for(layout: Layout, arena_bytes: int) -> Chain:
    """The chain of a layout in an arena of at most `arena_bytes` bytes, the sink included.

    What is left over is less than one page of the last band, so that its page grid, like those of all token bands,
    begins at byte 0 and ends with the arena.

    Raises:
        ValueError: the layout is no chain: fewer than two kinds, or the last is not full attention.
        ArenaTooSmall: there is no room for one page of each kind.
    """
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
    least = _least_bytes(bands, base, last.page_bytes)
    if capacity < least:
        raise ArenaTooSmall(
            f"arena_bytes = {arena_bytes}: {least - capacity} bytes are missing; the sink and one page of each of "
            f"{[kind.name for kind in kinds]} take {least}"
        )
    return Chain(layout.model, bands, base, capacity, bands[0].first, top)


def _band(number: int, kind: Kind, base: int, capacity: int) -> BandGeometry:
    # state pages are large, so they begin right above the sink instead of at a multiple of their own size
    origin = base if kind.lifetime is Lifetime.STATE else 0
    assert origin % ALIGNMENT == 0, "a band's rows are loaded 16 bytes at a time"
    size = kind.page_bytes
    first, limit = first_page_from(origin, size, base), pages_until(origin, size, capacity)
    return BandGeometry(number, kind, kind.name, origin, size, kind.page_tokens, first, limit)


def _least_bytes(bands: tuple[BandGeometry, ...], base: int, last_page_bytes: int) -> int:
    end = base
    for band in bands:
        page = first_page_from(band.origin, band.page_bytes, end)
        end = address(band.origin, band.page_bytes, page + 1)
    return ceil_div(end, last_page_bytes) * last_page_bytes
