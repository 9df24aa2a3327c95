"""How far a replay is, shown on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from bandgap.output import err
from replay.workers import Progress

EVERY_SECONDS = 0.2
"""Seconds between two pictures of the bar."""


@contextmanager
def shown() -> Iterator[Callable[[str, Progress], None]]:
    """Takes what is going on and how far it is; shows it where there is a terminal."""
    terminal = err()
    if not terminal.is_terminal:
        yield lambda what, progress: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("requests"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=terminal, transient=True) as bars:
        tasks: dict[str, int] = {}
        looked = 0.0

        def show(what: str, progress: Progress) -> None:
            nonlocal looked
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=progress.of)
            if monotonic() - looked > EVERY_SECONDS or progress.done == progress.of:
                looked = monotonic()
                bars.update(tasks[what], completed=progress.done, total=progress.of)  # type: ignore[arg-type]  # a task's number

        yield show
