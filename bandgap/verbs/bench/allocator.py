"""`bandgap bench allocator`: the host side's figures, each beside a peer's from the same run."""

from dataclasses import asdict
from pathlib import Path
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
    peers: Annotated[
        Path | None, typer.Option(help="Where `make peers` built the peers' environments; the source's directory.")
    ] = None,
    as_json: AsJson = False,
) -> Exit:
    """How fast the allocator is: medians, spread, and the ratio to peers that `make peers` has built."""
    if not 1 <= rounds <= 100:
        raise UsageError("--rounds", rounds, "is not 1 to 100")
    if not 0.001 <= seconds <= 10:
        raise UsageError("--seconds", seconds, "is not 0.001 to 10")
    from bandgap.bench_report import table_of
    from bench.allocator.measure import measure
    from bench.allocator.pace import Pace
    from bench.peers.environments import ROOT
    from bench.surroundings import surroundings

    rows: list[Row] = []
    end = Exit.HOLDS
    with err().status("measuring") as status:
        try:
            for row in measure(Pace(rounds, seconds), peers or ROOT):
                rows.append(row)
                status.update(f"{len(rows)} figures, the last: {row.name}")
        except KeyboardInterrupt:
            end = Exit.INCONCLUSIVE
    if as_json:
        print_json({"rows": [asdict(row) for row in rows], "surroundings": surroundings()})
    else:
        out().print(*table_of(rows, surroundings()), sep="\n")
    if end is Exit.INCONCLUSIVE:
        err().print(f"stopped after {len(rows)} figures")
    return end
