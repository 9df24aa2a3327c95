"""`bandgap bench fuzz`: how fast an allocator is driven, judged and read back."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json

if TYPE_CHECKING:
    from bench.rows import Row


def run(
    rounds: Annotated[int, typer.Option(help="How often each figure is measured, 1 to 100.")] = 5,
    calls: Annotated[int, typer.Option(help="Judged calls of one measurement, 100 to 1,000,000.")] = 8_000,
    as_json: AsJson = False,
) -> Exit:
    """How fast the fuzzer is, beside a state machine of Hypothesis that does nothing: medians and spread."""
    if not 1 <= rounds <= 100:
        raise UsageError("--rounds", rounds, "is not 1 to 100")
    if not 100 <= calls <= 1_000_000:
        raise UsageError("--calls", calls, "is not 100 to 1,000,000")
    from bandgap.bench_report import table_of
    from bench.fuzz import FIGURES, measure
    from bench.surroundings import surroundings

    rows: list[Row] = []
    with err().status("measuring") as status:
        try:
            for row in measure(rounds, calls):
                rows.append(row)
                status.update(f"{len(rows)} of {len(FIGURES)} figures, the last: {row.name}")
        except KeyboardInterrupt:
            if not rows:
                raise
    if as_json:
        print_json({"rows": [asdict(row) for row in rows], "surroundings": surroundings()})
    else:
        out().print(*table_of(rows, surroundings()), sep="\n")
    if len(rows) < len(FIGURES):
        err().print(f"stopped after {len(rows)} of {len(FIGURES)} figures")
        return Exit.INCONCLUSIVE
    return Exit.HOLDS
