"""`bandgap faults`: every seeded fault, and what caught it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json

if TYPE_CHECKING:
    from fuzz.faults.trial import Matrix, Trial


def run(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Only these faults.")] = None,
    calls: Annotated[int, typer.Option(min=1, help="Judged calls after which a fault has survived.")] = 60_000,
    seed: Annotated[int, typer.Option(help="Of all choices.")] = 7,
    as_json: AsJson = False,
) -> Exit:
    """Puts deliberate faults into the allocator, one by one, and shows which property catches each."""
    from fuzz.faults.all import FAULTS
    from fuzz.faults.trial import try_all

    unknown = [name for name in names or () if name not in FAULTS]
    if unknown:
        raise UsageError("NAME", unknown[0], "is no seeded fault", f"choose from {', '.join(FAULTS)}")
    chosen = [FAULTS[name] for name in names or FAULTS]
    printer = None if as_json else err()

    def told(trial: "Trial") -> None:
        if printer is not None:
            printer.print(f"[dim]{trial.fault.name}: {trial.verdict}[/]")

    matrix = try_all(chosen, seed=seed, calls=calls, progress=told)
    if as_json:
        print_json(_document(matrix))
    else:
        _print(matrix)
    return Exit.HOLDS if matrix.holds else Exit.VIOLATED


def _document(matrix: "Matrix") -> dict[str, Any]:
    broken = matrix.baseline.failure
    return {
        "holds": matrix.holds,
        "baseline": {"calls": matrix.baseline.calls, "property": broken.property if broken else None},
        "faults": [
            {
                "name": trial.fault.name,
                "level": trial.fault.level,
                "precedent": trial.fault.precedent,
                "property": trial.fault.property,
                "verdict": trial.verdict,
                "caught_by": trial.caught_by,
                "calls": trial.calls,
                "seconds": round(trial.seconds, 3),
                "shrunk": trial.shrunk,
                "problem": trial.problem,
            }
            for trial in matrix.trials
        ],
    }


def _print(matrix: "Matrix") -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    broken = matrix.baseline.failure
    if broken is not None:
        out().print(f"[bold red]the unmodified code fails[/]: {broken.property}: {escape(broken.problem)}")
        out().print("No fault was tried.")
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for heading in ("fault", "level", "precedent", "property", "caught by"):
        table.add_column(heading, overflow="fold")
    for heading in ("calls", "seconds", "shrunk to"):
        table.add_column(heading, justify="right")
    for trial in matrix.trials:
        good = trial.verdict == "caught"
        caught = trial.caught_by if trial.caught_by and trial.verdict != "invalid" else trial.verdict
        table.add_row(
            trial.fault.name,
            trial.fault.level,
            escape(trial.fault.precedent),
            trial.fault.property,
            f"[green]{caught}[/]" if good else f"[bold red]{caught}[/]",
            f"{trial.calls:,}",
            f"{trial.seconds:.2f}",
            "" if trial.shrunk is None else f"{trial.shrunk}",
        )
    out().print(table)
    caught_all = sum(trial.verdict == "caught" for trial in matrix.trials)
    out().print(
        f"\nThe unmodified code passed {matrix.baseline.calls:,} judged calls; "
        f"{caught_all} of {len(matrix.trials)} faults were caught by the property that they name."
    )
    for trial in matrix.trials:
        if trial.problem:
            out().print(f"[bold red]{trial.fault.name}[/] is invalid: {escape(trial.problem)}")
