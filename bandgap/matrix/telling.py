"""The matrix for people and for programs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from bandgap.matrix.row import Matrix, Row, Seeded
from bandgap.phrases import counted

WIDE = 120
"""Columns from which there is room for the precedents."""


def document(matrix: Matrix) -> dict[str, Any]:
    """What `bandgap faults --json` prints."""
    broken = next((each for each in matrix.baselines if each.property is not None), None)
    return {
        "holds": matrix.holds,
        "baseline": {
            "calls": sum(each.calls for each in matrix.baselines),
            "property": broken.property if broken else None,
            "passed": [
                {"what": each.what, "passed": each.passed, "problem": each.problem} for each in matrix.baselines
            ],
        },
        "verdicts": dict(Counter(row.verdict for row in matrix.rows)),
        "faults": [{**_named(row.fault), **_became(row)} for row in matrix.rows],
    }


def list_document(faults: Sequence[Seeded]) -> dict[str, Any]:
    """What `bandgap faults --list --json` prints."""
    return {"faults": [{**_named(fault), "says": fault.says} for fault in faults]}


def listed(faults: Sequence[Seeded]) -> Iterator[str]:
    """What `bandgap faults --list` prints."""
    for level, of_level in groupby(faults, key=lambda fault: fault.level):
        members = list(of_level)
        yield f"[bold]{level}[/] ({len(members)})"
        for fault in members:
            yield f"{escape(fault.name)}"
            as_in = f", as in {fault.precedent}" if fault.precedent else ""
            yield f"    [dim]{escape(fault.says)}[/]"
            yield f"    [dim]caught by {fault.property}{escape(as_in)}[/]"
        yield ""


def report(matrix: Matrix, width: int) -> Iterator[RenderableType]:
    """What `bandgap faults` prints, in at most so many columns."""
    for baseline in matrix.baselines:
        if baseline.property is not None:
            yield (
                f"[bold red]{escape(baseline.what)} fails as it is[/]: {baseline.property}: "
                f"{escape(baseline.problem or '')}"
            )
            yield "No fault of it was tried."
    for level, rows in groupby(matrix.rows, key=lambda row: row.fault.level):
        yield f"[bold]{level}[/]"
        yield _table(list(rows), width)
        yield ""
    for baseline in matrix.baselines:
        if baseline.property is None:
            yield f"{escape(baseline.what)}, unmodified, passed {escape(baseline.passed)}"
    yield _summary(matrix)
    for why, rows_of in groupby((row for row in matrix.rows if row.verdict == "not run"), key=lambda row: row.problem):
        yield f"[yellow]not run[/]: {counted(len(list(rows_of)), 'fault')}: {escape(why or '')}"
    for row in matrix.rows:
        if row.problem and row.verdict not in {"caught", "not run"}:
            yield f"[bold red]{escape(row.fault.name)}[/]: {escape(row.problem)}"


def _table(rows: Sequence[Row], width: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("fault", overflow="fold", ratio=2)
    if width >= WIDE:
        table.add_column("as in", overflow="fold", ratio=1)
    table.add_column("caught by", overflow="fold", max_width=22)
    for heading in ("calls", "s", "shrunk"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        precedent = [escape(row.fault.precedent)] if width >= WIDE else []
        table.add_row(
            escape(row.fault.name),
            *precedent,
            _caught(row),
            "" if row.calls is None else f"{row.calls:,}",
            "" if row.verdict == "not run" else f"{row.seconds:.1f}",
            "" if row.shrunk is None else f"{row.shrunk}",
        )
    return table


def _caught(row: Row) -> str:
    if row.verdict == "caught":
        return f"[green]{row.caught_by}[/]"
    if row.verdict == "not run":
        return "[yellow]not run[/]"
    if row.verdict == "caught by another property":
        return f"[bold red]{row.caught_by}, not {row.fault.property}[/]"
    return f"[bold red]{row.verdict}[/]"


def _summary(matrix: Matrix) -> str:
    run = [row for row in matrix.rows if row.verdict != "not run"]
    caught = [row for row in run if row.verdict == "caught"]
    if not caught:
        return f"0 of {counted(len(run), 'fault')} caught"
    taken = (
        f"median {median(row.seconds for row in caught):.1f} s, the longest {max(row.seconds for row in caught):.1f} s"
    )
    longest = max((row.shrunk for row in caught if row.shrunk is not None), default=None)
    return (
        f"{len(caught)} of {counted(len(run), 'fault')} caught by the property that they name; {taken}"
        f"{'' if longest is None else f'; at most {longest} calls'}"
    )


def _named(fault: Seeded) -> dict[str, Any]:
    return {"name": fault.name, "level": fault.level, "precedent": fault.precedent, "property": fault.property}


def _became(row: Row) -> dict[str, Any]:
    return {
        "verdict": row.verdict,
        "caught_by": row.caught_by,
        "calls": row.calls,
        "seconds": row.seconds,
        "shrunk": row.shrunk,
        "problem": row.problem,
    }
