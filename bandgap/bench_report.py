"""Figures as they are measured, and as a table for people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from bandgap.exits import Exit
from bandgap.output import err, out, print_json
from bench.rows import Row
from bench.surroundings import surroundings


def show_measured(measuring: Iterable[Row], *, as_json: bool, planned: int | None = None) -> Exit:
    """Print figures once all are measured, or those that there are when somebody stops it.

    Args:
        measuring: gives each figure once it is measured.
        as_json: print a document, not a table.
        planned: how many there will be, where that is known.

    Raises:
        KeyboardInterrupt: it was stopped before there was a figure.
    """
    rows: list[Row] = []
    of, is_stopped = f" of {planned}" if planned is not None else "", False
    with err().status("measuring") as status:
        try:
            for row in measuring:
                rows.append(row)
                status.update(f"{len(rows)}{of} figures, the last: {row.name}")
        except KeyboardInterrupt:
            if not rows:
                raise
            is_stopped = True
    show_figures(rows, as_json=as_json)
    if is_stopped:
        err().print(f"stopped after {len(rows)}{of} figures")
    return Exit.INCONCLUSIVE if is_stopped else Exit.HOLDS


def show_figures(rows: Sequence[Row], *, as_json: bool) -> None:
    """Print figures and where they were measured, as a document or for people."""
    if as_json:
        print_json({"rows": [asdict(row) for row in rows], "surroundings": surroundings()})
    else:
        out().print(*table_of(rows, surroundings()), sep="\n")


def table_of(rows: Sequence[Row], surroundings: Mapping[str, str]) -> Iterator[RenderableType]:
    """What `bandgap bench` prints: the figures, what each of them is, and where they were measured."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    table.add_column("figure")
    # a number cut short is a wrong one
    for heading in ("median", "unit", "spread", "peer's", "ratio"):
        table.add_column(heading, justify="left" if heading == "unit" else "right", overflow="fold")
    table.add_column("peer")
    for number, row in enumerate(rows, 1):
        table.add_row(
            f"{number}",
            escape(row.name),
            shown(row.value),
            row.unit,
            "" if row.spread is None else f"{row.spread:.1%}",
            "" if row.peer_value is None else shown(row.peer_value),
            "" if row.ratio is None else f"{row.ratio:.2f}x",
            escape(row.peer or ""),
        )
    yield table
    yield ""
    yield from (f"[dim]{number:>2}[/] {escape(row.note)}" for number, row in enumerate(rows, 1))
    yield ""
    yield "[dim]" + escape("; ".join(f"{name}: {value}" for name, value in surroundings.items())) + "[/]"


def shown(value: float) -> str:
    """A number with at least three significant digits, and no more than it needs."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
