"""An arena as a drawing for HTML: one lane for each band, all bytes to scale.

What lies along the bytes is told in percent, so that the drawing is as wide as there is room and its text as large as
any other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bandgap.output import short_name
from bandgap.pictures import Arena, Band, Look, Status, in_words

WIDTH = 100.0
"""The width of the drawing, in percent."""

LANE = 60.0
"""Height of a band's lane, in pixels, with the name above it."""

WIDE, NARROW = 900.0, 300.0
"""Pixels that a drawing has at least on a desk, and on a phone."""

ROOM_OF_A_CHARACTER = 8.0
"""Pixels."""


@dataclass(frozen=True)
class Box:
    """Bytes as a rectangle; `kind` is a page's status or why the bytes are to be looked at."""

    kind: str
    x: float
    width: float
    title: str
    label: str = ""
    tight: bool = False
    """Whether the label has no room on a phone."""


@dataclass(frozen=True)
class Lane:
    """The lane of a band."""

    name: str
    y: float
    pages: tuple[Box, ...]
    marks: tuple[Box, ...]


@dataclass(frozen=True)
class Drawing:
    """An arena, ready to be written as SVG."""

    height: float
    lanes: tuple[Lane, ...]
    begin: int
    end: int
    said: str
    """What is marked, for those who cannot see it."""


def drawings(*arenas: Arena) -> tuple[Drawing, ...]:
    """Drawings of all arenas, on one scale."""
    scale = _Scale(arenas)
    return tuple(_drawing(arena, scale) for arena in arenas)


class _Scale:
    def __init__(self, arenas: Sequence[Arena]) -> None:
        addresses = [address for arena in arenas for address in _addresses(arena)]
        self.begin, self.end = min(addresses), max(addresses)

    def box(self, kind: str, begin: int, end: int, title: str, label: str = "") -> Box:
        each = WIDTH / max(1, self.end - self.begin)
        width, needed = (end - begin) * each, len(label) * ROOM_OF_A_CHARACTER
        shown = label if needed < width * WIDE / WIDTH else ""
        return Box(kind, (begin - self.begin) * each, width, title, shown, needed >= width * NARROW / WIDTH)


def _addresses(arena: Arena) -> Iterator[int]:
    yield from (arena.base, arena.capacity)
    for band in arena.bands:
        numbers = [page.number for page in band.pages] + ([band.lo, band.hi - 1] if band.lo < band.hi else [])
        for number in numbers:
            yield from (band.address(number), band.address(number + 1))
    for mark in arena.marks:
        yield from (mark.begin, mark.end)


def _drawing(arena: Arena, scale: _Scale) -> Drawing:
    lanes = tuple(_lane(arena, number, band, scale) for number, band in enumerate(arena.bands))
    said = "; ".join(in_words(arena, mark) for mark in arena.marks)
    return Drawing(LANE * len(lanes) + 20, lanes, scale.begin, scale.end, said)


def _lane(arena: Arena, number: int, band: Band, scale: _Scale) -> Lane:
    listed = {page.number: page for page in band.pages}
    pages = []
    for page in sorted({*listed, *range(band.lo, band.hi)}):
        status = listed[page].status if page in listed else Status.HOLE
        said = listed[page].label if page in listed else ""
        outside = "" if band.lo <= page < band.hi else ", outside its span"
        held = f", held by {listed[page].holders}" if page in listed and listed[page].holders else ""
        title = f"{band.name} page {page}: {status}{f' {said}' if said else ''}{held}{outside}"
        pages.append(scale.box(status, band.address(page), band.address(page + 1), title, said))
    drawn = tuple(
        scale.box(mark.look.replace(" ", "-"), mark.begin, mark.end, in_words(arena, mark))
        for mark in sorted(arena.marks, key=lambda mark: list(Look).index(mark.look))
        if mark.band == number
    )
    return Lane(short_name(band.name), LANE * number, tuple(pages), drawn)
