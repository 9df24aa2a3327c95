"""The arena over time as a grid of bounded size: of each cell, how much of its bytes and lines was what.

Nothing is left out: a cell adds up everything that happened in it. Columns grow wider as a trace grows longer, by
putting two and two together, so that its length need not be known.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bandgap.view.watching import EMPTY, LOOKS, Look, Place, Seen, Sink, Span
from events.records import Header

ROWS = 256
"""Rows, of equally many bytes each."""

COLUMNS = 800
"""Columns, of equally many lines each but for the last; there are up to twice as many."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Totals:
    """How things stand at the end of a column."""

    line: int
    spans: tuple[Span, ...]
    pages: tuple[tuple[int, int, int], ...]
    """How many pages of each band are live, held and withheld."""
    tickets: int
    """Outstanding."""


@dataclass(frozen=True)
class Column:
    """Byte-lines of each band, look and row, where there are any."""

    lines: int
    cells: NDArray[np.int64]
    """Indexes `(band * 4 + look) * ROWS + row`."""
    amounts: Array
    totals: Totals


@dataclass
class Grid(Sink):
    """Adds up what pages and spans are."""

    header: Header | None = None
    first: int = 0
    width: int = 1
    """Lines of a column."""
    columns: list[Column] = field(default_factory=list)
    begun: int = 0
    """The line with which the column that is being filled begins."""

    def begin(self, line: int, header: Header) -> None:
        """See `Sink.begin`."""
        self.header, self.first, self.begun = header, line, line
        self._bands, self._base = header.bands, header.base
        self.row_bytes = max(1, -(-(header.capacity - header.base) // ROWS))
        size = len(header.bands) * len(LOOKS) * ROWS
        self._now, self._filled = np.zeros(size), np.zeros(size)  # bytes; byte-lines up to the column's end
        self._spans = [EMPTY] * len(header.bands)
        self._pages = [[0, 0, 0] for _ in header.bands]
        self._tickets = 0
        # of pages that lie in one row and have changed their looks: the cell that loses, the cell that gains, the bytes
        # and the line; put in together, which is much faster
        self._waiting: list[tuple[int, int, int, int]] = []

    def page(self, line: int, place: Place, was: Seen | None, now: Seen | None) -> None:
        """See `Sink.page`."""
        self._reach(line)
        band, page = place
        if was is not None:
            self._pages[band][was.look] -= 1
        if now is not None:
            self._pages[band][now.look] += 1
        before, after = (Look.HOLE if seen is None else seen.look for seen in (was, now))
        its, row_bytes = self._bands[band], self.row_bytes
        begin = its.origin + page * its.page_bytes - self._base
        row = begin // row_bytes
        if (begin + its.page_bytes - 1) // row_bytes == row:
            at = band * len(LOOKS) * ROWS + row
            self._waiting.append((at + before * ROWS, at + after * ROWS, its.page_bytes, line))
        else:
            self._add(line, band, before, page, page + 1, -1)
            self._add(line, band, after, page, page + 1, 1)

    def span(self, line: int, band: int, was: Span, now: Span) -> None:
        """See `Sink.span`."""
        self._reach(line)
        self._spans[band] = now
        self._add(line, band, Look.HOLE, *was, -1)
        self._add(line, band, Look.HOLE, *now, 1)

    def ticket(self, line: int, ticket: int, user: str, stream: str | None, *, begins: bool) -> None:
        """See `Sink.ticket`."""
        self._reach(line)
        self._tickets += 1 if begins else -1

    def close(self, line: int) -> None:
        """See `Sink.close`."""
        self._reach(line)
        self._put_in()
        if line > self.begun:
            # it was filled to the end that it would have had
            self._filled -= self._now * (self.begun + self.width - line)
            self._finish(line - self.begun)

    def _reach(self, line: int) -> None:
        while line >= self.begun + self.width:
            self._put_in()
            self._finish(self.width)

    def _put_in(self) -> None:
        if not self._waiting:
            return
        losing, gaining, amounts, at = np.array(self._waiting, dtype=np.float64).T
        self._waiting = []
        lasting = amounts * (self.begun + self.width - at)
        for cells, sign in ((losing.astype(np.int64), -1.0), (gaining.astype(np.int64), 1.0)):
            self._now += np.bincount(cells, sign * amounts, self._now.size)
            self._filled += np.bincount(cells, sign * lasting, self._now.size)

    def _finish(self, lines: int) -> None:
        cells = np.flatnonzero(np.abs(self._filled) > 0.5)
        pages = tuple((live, held, withheld) for live, held, withheld in self._pages)
        totals = Totals(self.begun + lines - 1, tuple(self._spans), pages, self._tickets)
        self.columns.append(Column(lines, cells, self._filled[cells], totals))
        self.begun += lines
        if len(self.columns) >= 2 * COLUMNS:
            pairs = zip(self.columns[::2], self.columns[1::2], strict=True)
            self.columns = [_together(first, second) for first, second in pairs]
            self.width *= 2
        self._filled = self._now * self.width

    def _add(self, line: int, band: int, look: Look, first: int, end: int, sign: int) -> None:
        """More or fewer bytes are what this look says, from this line on."""
        header = self.header
        if first >= end or header is None:
            return
        its, row_bytes = header.bands[band], self.row_bytes
        begin = its.origin + first * its.page_bytes - header.base
        stop = its.origin + end * its.page_bytes - header.base
        low, high = begin // row_bytes, (stop - 1) // row_bytes
        at = (band * len(LOOKS) + look) * ROWS
        lines = self.begun + self.width - line
        if low == high:
            amount: Array | float = float(sign * (stop - begin))
        else:
            amount = np.full(high - low + 1, float(sign * row_bytes))
            amount[0] = sign * ((low + 1) * row_bytes - begin)
            amount[-1] = sign * (stop - high * row_bytes)
        self._now[at + low : at + high + 1] += amount
        self._filled[at + low : at + high + 1] += amount * lines


def _together(first: Column, second: Column) -> Column:
    cells = np.union1d(first.cells, second.cells)
    amounts = np.zeros(len(cells))
    for column in (first, second):
        amounts[np.searchsorted(cells, column.cells)] += column.amounts
    return Column(first.lines + second.lines, cells, amounts, second.totals)
