"""What people see while they wait: bars on a terminal, a line for each finished task elsewhere."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bandgap.gate.lane import Lane
from bandgap.gate.processes import Moved
from bandgap.gate.run import Watcher, has_no_answer, is_chosen
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done


@contextmanager
def watching(
    console: Console, lanes: Sequence[Lane], settings: Settings, only: Collection[str] = ()
) -> Iterator[Watcher]:
    """A watcher that shows progress on the console until the block ends; `only` as for `run_gate`."""
    chosen = [task.lane for lane in lanes for task in lane.tasks(settings) if is_chosen(task, only)]
    tasks = dict(Counter(chosen))
    if not console.is_terminal:
        yield _lines(console, tasks)
        return
    columns = TextColumn("{task.description:<8}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, TextColumn("[dim]{task.fields[now]}[/]"), console=console, transient=True) as bars:
        yield _bars(bars, tasks)


def _lines(console: Console, tasks: dict[str, int]) -> Watcher:
    finished: Counter[str] = Counter()

    def watch(event: Moved | Done) -> None:
        if isinstance(event, Done):
            lane = event.task.lane
            finished[lane] += not event.again
            rank = "again" if event.again else f"{finished[lane]}/{tasks[lane]}"
            console.print(f"{lane} {rank}: {escape(event.task.name)}, {event.seconds:.1f} s{_noted(event)}")

    return watch


def _bars(bars: Progress, tasks: dict[str, int]) -> Watcher:
    rows = {lane: bars.add_task(lane, total=total, now="") for lane, total in tasks.items()}

    def watch(event: Moved | Done) -> None:
        row = rows[event.task.lane]
        if isinstance(event, Done):
            bars.update(row, advance=not event.again, now=escape(event.task.name + _noted(event)))
        else:
            bars.update(row, now=escape(f"{event.task.name} {event.share:.0%}"))

    return watch


def _noted(done: Done) -> str:
    evidence = done.evidence
    if evidence.violations:
        return f": {evidence.violations[0].check} is violated"
    if evidence.broken:
        return ": broken"
    return ": no answer" if has_no_answer(evidence) else ""
