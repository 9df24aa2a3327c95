"""What people see while proofs run: a line for each result, and on a terminal how far it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from bandgap.output import err
from bandgap.proofs.report import HEADINGS, line, show
from properties import Answer, Selection, Sighting, Trial
from properties.tasks import Result

Listener = Callable[[Result], None]


@contextmanager
def listening(selection: Selection, console: Console | None) -> Iterator[Listener]:
    """A listener that prints results on the console, if there is one, and shows progress until the block ends."""
    terminal = err() if console is None else console
    tell = _teller(console)
    if not terminal.is_terminal:
        yield tell
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    total = len(selection.obligations) + len(selection.trials) + len(selection.looks)
    with Progress(*columns, console=terminal, transient=True) as bars:
        yield _watched(bars, total, tell)


def _watched(bars: Progress, total: int, tell: Listener) -> Listener:
    bar = bars.add_task("proving", total=total)
    looked: set[str] = set()

    def watch(result: Result) -> None:
        tell(result)
        # A look at one stage tells many things, and counts once.
        bars.update(bar, advance=not isinstance(result, Sighting) or result.stage not in looked)
        looked.update([result.stage] if isinstance(result, Sighting) else [])

    return watch


def _teller(console: Console | None) -> Listener:
    begun: set[type] = set()

    def tell(result: Result) -> None:
        if console is None or not isinstance(result, Answer | Trial):
            return
        if type(result) not in begun:
            show(console, [*[""] * bool(begun), Text(HEADINGS[type(result)], style="bold")])
            begun.add(type(result))
        show(console, [line(result)])

    return tell
