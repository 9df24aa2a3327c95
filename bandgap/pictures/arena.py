"""What a picture shows, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """What a page is."""

    LIVE = "live"
    HELD = "held"
    """Live, and a ticket holds it."""
    WITHHELD = "withheld"
    HOLE = "hole"
    LOST = "lost"
    """None of the others: its status has no meaning, which only a fault brings about."""


@dataclass(frozen=True)
class Page:
    """A page, and what is written on it if there is room, such as `v3`."""

    number: int
    status: Status
    label: str = ""
    holders: str = field(default="", compare=False)
    """Who holds it, in words, which no picture shows."""


@dataclass(frozen=True)
class Band:
    """A band whose span is the pages from `lo` to before `hi`. Page p begins at byte origin + p * page_bytes.

    A page that is not listed is a hole. Pages outside the span may be listed, though none should be there.
    """

    name: str
    origin: int
    page_bytes: int
    lo: int
    hi: int
    pages: Sequence[Page] = ()

    def address(self, page: int) -> int:
        """The first byte of a page."""
        return self.origin + page * self.page_bytes


class Look(StrEnum):
    """Why bytes are to be looked at; the later one is drawn over the earlier."""

    ACTED_ON = "acted on"
    CHANGED = "changed"
    WRONG = "wrong"


@dataclass(frozen=True)
class Mark:
    """Bytes of one band to be looked at."""

    band: int
    begin: int
    end: int
    look: Look


@dataclass(frozen=True)
class Arena:
    """Bands within the bytes from `base` to before `capacity`, and what to look at."""

    base: int
    capacity: int
    bands: Sequence[Band]
    marks: Sequence[Mark] = ()


def in_words(arena: Arena, mark: Mark) -> str:
    """Which bytes are marked, and of which pages of which band."""
    band = arena.bands[mark.band]
    first, last = (
        (address - band.origin) // band.page_bytes for address in (mark.begin, max(mark.begin, mark.end - 1))
    )
    pages = f"page {first:,}" if first == last else f"pages {first:,} to {last:,}"
    return f"bytes {mark.begin:,} to {mark.end:,}, {pages} of band {band.name!r}: {mark.look}"


def used(*arenas: Arena) -> tuple[tuple[Status, ...], tuple[Look, ...]]:
    """What of pages and of marks there is in pictures of these arenas."""
    statuses, looks = set[Status](), set[Look]()
    for arena in arenas:
        looks.update(mark.look for mark in arena.marks)
        for band in arena.bands:
            statuses.update(page.status for page in band.pages)
            if len({page.number for page in band.pages if band.lo <= page.number < band.hi}) < band.hi - band.lo:
                statuses.add(Status.HOLE)
    return tuple(status for status in Status if status in statuses), tuple(look for look in Look if look in looks)
