"""How far a long trace has been judged, shown on a terminal."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn, TransferSpeedColumn

from bandgap.output import err
from bandgap.traces.input import TraceInput

EVERY_LINES = 1_024
"""Lines between two looks at the clock."""

EVERY_SECONDS = 0.2
"""Seconds between two pictures of the bar."""


@contextmanager
def watched_lines(source: TraceInput) -> Iterator[Iterable[bytes]]:
    """The lines of a trace, as they are; while they are taken, a terminal shows how many bytes of it are read."""
    terminal = err()
    if not terminal.is_terminal:
        yield source.lines()
        return
    columns = TextColumn("judging"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeElapsedColumn()
    with Progress(*columns, console=terminal, transient=True) as bars:
        yield _watched(source, bars)


def _watched(source: TraceInput, bars: Progress) -> Iterator[bytes]:
    bar = bars.add_task("judging", total=source.size)
    taken, looked = 0, monotonic()
    for number, line in enumerate(source.lines(), 1):
        taken += len(line)
        if number % EVERY_LINES == 0 and monotonic() - looked > EVERY_SECONDS:
            position = source.position
            bars.update(bar, completed=taken if position is None else position)
            looked = monotonic()
        yield line
