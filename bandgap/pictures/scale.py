"""Bytes to columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bandgap.pictures.arena import Arena

TICK_COLUMNS = 8
"""Ticks are at least this far apart, so that their labels have room."""

UNITS = ("", "K", "M", "G", "T")


@dataclass(frozen=True)
class Scale:
    """The bytes from `begin` to before `end`, drawn over so many columns."""

    begin: int
    end: int
    columns: int

    def column(self, address: int) -> int:
        """The column in which a byte begins."""
        return (address - self.begin) * self.columns // (self.end - self.begin)

    def address(self, column: int) -> float:
        """The byte at which a column begins."""
        return self.begin + column * (self.end - self.begin) / self.columns

    def ticks(self) -> Iterator[tuple[int, str]]:
        """The column and the label of each tick; they are at multiples of a power of two, as pages mostly are."""
        step = 1
        while step * self.columns < TICK_COLUMNS * (self.end - self.begin):
            step *= 2
        for address in range(-(-self.begin // step) * step, self.end + 1, step):
            yield self.column(address), label(address)


def scale_of(arenas: Sequence[Arena], columns: int) -> Scale:
    """A scale for all of these arenas, with whatever sticks out of them.

    If there is room, every byte takes the same number of columns, so that pages of equal size look equal.
    """
    drawn = [address for arena in arenas for address in _addresses(arena)]
    begin, end = min(drawn), max(*drawn, min(drawn) + 1)
    each = columns // (end - begin)
    return Scale(begin, end, each * (end - begin) or columns)


def _addresses(arena: Arena) -> Iterator[int]:
    yield from (arena.base, arena.capacity)
    for band in arena.bands:
        if band.lo < band.hi:
            yield from (band.address(band.lo), band.address(band.hi))
        for page in band.pages:
            yield from (band.address(page.number), band.address(page.number + 1))
    for mark in arena.marks:
        yield from (mark.begin, mark.end)


def label(address: int) -> str:
    """An address in the largest binary unit in which it is whole."""
    unit = 0
    while address and address % 1024 == 0 and unit + 1 < len(UNITS):
        address //= 1024
        unit += 1
    return f"{address}{UNITS[unit]}"
