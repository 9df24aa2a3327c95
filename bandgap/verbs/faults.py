"""`bandgap faults`: every seeded fault, and what caught it."""

from typing import TYPE_CHECKING, Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json

if TYPE_CHECKING:
    from bandgap.matrix.row import Baseline, Row, Seeded


def run(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Only these faults.")] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="LEVEL", help="Only faults of this level; `--list` shows which there are."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="Show the faults, and try none.")] = False,
    calls: Annotated[int, typer.Option(min=1, help="Judged calls after which a fault has survived.")] = 60_000,
    seed: Annotated[int, typer.Option(help="The seed of all choices.")] = 7,
    as_json: AsJson = False,
) -> Exit:
    """Try every deliberate fault, one by one, and show which property catches each."""
    from bandgap.matrix.all import tried
    from bandgap.matrix.row import Row, Settings
    from bandgap.matrix.telling import document, list_document, listed, report

    faults = _chosen(names or [], level or [])
    if listing:
        if as_json:
            print_json(list_document(faults))
        else:
            out().print(*listed(faults), sep="\n", soft_wrap=True)
        return Exit.HOLDS
    printer, done = None if as_json else err(), 0

    def told(came: "Baseline | Row") -> None:
        nonlocal done
        if isinstance(came, Row):
            done += 1
            if printer is not None:
                printer.print(f"[dim]{done} of {len(faults)}: {came.fault.name}: {came.verdict}[/]")

    matrix = tried(faults, Settings(calls, seed), told)
    if as_json:
        print_json(document(matrix))
    else:
        console = out()
        for part in report(matrix, console.width):
            console.print(part)
    if all(row.verdict == "not run" for row in matrix.rows) and matrix.rows:
        return Exit.INCONCLUSIVE
    return Exit.HOLDS if matrix.holds else Exit.VIOLATED


def _chosen(names: list[str], of_levels: list[str]) -> "list[Seeded]":
    from bandgap.matrix.all import all_faults, levels, near

    every = all_faults()
    known = {fault.name for fault in every}
    for name in names:
        if name not in known:
            alike = near(name, known)
            remedy = f"did you mean {' or '.join(alike)}?" if alike else "`bandgap faults --list` shows all"
            raise UsageError("NAME", name, "is no seeded fault", remedy)
    for level in of_levels:
        if level not in levels() and not any(each.split()[0] == level for each in levels()):
            raise UsageError("--level", level, "has no faults", f"choose from {', '.join(levels())}")
    chosen = [
        fault
        for fault in every
        if (not names or fault.name in names)
        and (not of_levels or fault.level in of_levels or fault.level.split()[0] in of_levels)
    ]
    if not chosen:
        raise UsageError("--level", ", ".join(of_levels), "none of these faults is of it", "leave one of the two out")
    return chosen
