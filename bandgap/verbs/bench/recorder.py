"""`bandgap bench recorder`: what it costs to write down every call and step."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json

if TYPE_CHECKING:
    from bench.rows import Row


def run(
    rounds: Annotated[int, typer.Option(help="How often each figure is measured, 1 to 100.")] = 15,
    seconds: Annotated[float, typer.Option(help="For how long a rate is measured in each round, 0.001 to 10.")] = 0.05,
    as_json: AsJson = False,
) -> Exit:
    """What the recorder costs the thread that serves, and the one that writes: medians and spread."""
    if not 1 <= rounds <= 100:
        raise UsageError("--rounds", rounds, "is not 1 to 100")
    if not 0.001 <= seconds <= 10:
        raise UsageError("--seconds", seconds, "is not 0.001 to 10")
    from bandgap.bench_report import table_of
    from bench.allocator.pace import Pace
    from bench.allocator.recorder import rows as rows_of
    from bench.surroundings import surroundings

    rows: list[Row] = []
    end = Exit.HOLDS
    with err().status("measuring"):
        try:
            rows.extend(rows_of(Pace(rounds, seconds)))
        except KeyboardInterrupt:
            end = Exit.INCONCLUSIVE
    if as_json:
        print_json({"rows": [asdict(row) for row in rows], "surroundings": surroundings()})
    else:
        out().print(*table_of(rows, surroundings()), sep="\n")
    return end
