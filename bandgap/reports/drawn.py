"""An arena as a drawing for HTML: one lane for each band, all bytes to scale."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bandgap.pictures import Arena, Band, Look, Status, in_words

WIDTH = 1000.0
"""Of the drawing, in its own units; the page scales it."""

LANE = 40.0
"""Height of a band's lane."""

MARGIN = 130.0
"""For the bands' names, left of the bytes."""

ROOM_OF_A_CHARACTER = 8.0


@dataclass(frozen=True)
class Box:
    """Bytes as a rectangle; `kind` is a page's status or why the bytes are to be looked at."""

    kind: str
    x: float
    width: float
    title: str
    label: str = ""


@dataclass(frozen=True)
class Lane:
    """A band."""

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
        each = (WIDTH - MARGIN) / max(1, self.end - self.begin)
        width = (end - begin) * each
        room = len(label) * ROOM_OF_A_CHARACTER < width
        return Box(kind, MARGIN + (begin - self.begin) * each, width, title, label if room else "")


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
    return Drawing(LANE * len(lanes) + 22, lanes, scale.begin, scale.end, said)


def _lane(arena: Arena, number: int, band: Band, scale: _Scale) -> Lane:
    listed = {page.number: page for page in band.pages}
    pages = []
    for page in sorted({*listed, *range(band.lo, band.hi)}):
        status = listed[page].status if page in listed else Status.HOLE
        label = listed[page].label if page in listed else ""
        outside = "" if band.lo <= page < band.hi else ", outside its span"
        title = f"{band.name} page {page}: {status}{f' {label}' if label else ''}{outside}"
        pages.append(scale.box(status, band.address(page), band.address(page + 1), title, label))
    drawn = tuple(
        scale.box(mark.look.replace(" ", "-"), mark.begin, mark.end, in_words(arena, mark))
        for mark in sorted(arena.marks, key=lambda mark: list(Look).index(mark.look))
        if mark.band == number
    )
    return Lane(band.name, LANE * number + 6, tuple(pages), drawn)
