"""The arena over time exactly, as long as it is in few enough pieces: pages of one look, from line to line."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from bandgap.view.watching import EMPTY, Place, Seen, Sink, Span
from events.records import Header

MOST_PIECES = 60_000
"""Pieces that are drawn one by one: about 3 MB of a page, drawn in a tenth of a second."""

MOST_KEPT = 400_000
"""Pieces of single pages, before those that lie beside each other are put together."""


class Piece(NamedTuple):
    """Pages page <= p < page + pages of a band, from line `begin` to before line `end`.

    Page `page + k` is the home of id `id + k * step`.
    """

    band: int
    look: int
    page: int
    pages: int
    begin: int
    end: int
    id: int
    step: int
    ticket: int


class SpanPiece(NamedTuple):
    """A band's span, from line `begin` to before line `end`."""

    band: int
    lo: int
    hi: int
    begin: int
    end: int


class Pieces(Sink):
    """Keeps every piece, until there are too many."""

    def __init__(self) -> None:
        self.too_many = False
        self._open: dict[Place, tuple[int, Seen]] = {}
        self._spans: dict[int, tuple[int, Span]] = {}
        self._kept: list[tuple[int, int, int, int, int, Seen]] = []  # in the order in which they are put together
        self.spans: list[SpanPiece] = []

    def begin(self, line: int, header: Header) -> None:
        """See `Sink.begin`."""

    def page(self, line: int, place: Place, was: Seen | None, now: Seen | None) -> None:
        """See `Sink.page`."""
        if self.too_many:
            return
        if was is not None:
            self._end(line, place)
        if now is not None and not self.too_many:
            self._open[place] = line, now

    def span(self, line: int, band: int, was: Span, now: Span) -> None:
        """See `Sink.span`."""
        if self.too_many:
            return
        if band in self._spans:
            begin, (lo, hi) = self._spans.pop(band)
            if begin < line:
                self.spans.append(SpanPiece(band, lo, hi, begin, line))
        if now[0] < now[1]:
            self._spans[band] = line, now

    def close(self, line: int) -> None:
        """See `Sink.close`."""
        for place in list(self._open):
            if place in self._open:  # there may be too many meanwhile
                self._end(line, place)
        for band in list(self._spans):
            self.span(line, band, EMPTY, EMPTY)

    def pieces(self) -> list[Piece] | None:
        """All of them, those of pages that lie beside each other in one; none where they are too many."""
        if self.too_many:
            return None
        found = list(_joined(sorted(self._kept)))
        return found if len(found) + len(self.spans) <= MOST_PIECES else None

    def _end(self, line: int, place: Place) -> None:
        begin, seen = self._open.pop(place)
        if begin < line:
            self._kept.append((place[0], seen.look, begin, line, place[1], seen))
        if len(self._kept) + len(self.spans) > MOST_KEPT:
            self.too_many = True
            self._kept, self.spans, self._open, self._spans = [], [], {}, {}


def _joined(kept: list[Any]) -> Iterator[Piece]:
    current: Piece | None = None
    for band, look, begin, end, page, seen in kept:
        new = Piece(band, look, page, 1, begin, end, seen.id, 0, seen.ticket)
        joined = _beside(current, new) if current is not None else None
        if current is not None and joined is None:
            yield current
        current = joined or new
    if current is not None:
        yield current


def _beside(one: Piece, new: Piece) -> Piece | None:
    """Both in one, if the new page lies above the others and its id is next to theirs."""
    same = all(getattr(one, name) == getattr(new, name) for name in ("band", "look", "begin", "end", "ticket"))
    step = new.id - (one.id + (one.pages - 1) * one.step)
    follows = step == one.step or (one.pages == 1 and step in (1, -1))
    if not same or new.page != one.page + one.pages or not follows:
        return None
    return one._replace(pages=one.pages + 1, step=step)
