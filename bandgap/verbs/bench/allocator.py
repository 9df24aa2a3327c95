"""`bandgap bench allocator`: the host side's figures, each beside a peer's from the same run."""

from pathlib import Path
from typing import Annotated

import typer

from bandgap.bench_options import check_rounds, check_seconds
from bandgap.exits import Exit
from bandgap.output import AsJson


def run(
    rounds: Annotated[int, typer.Option(help="How often each figure is measured, 1 to 100.")] = 15,
    seconds: Annotated[float, typer.Option(help="For how long a rate is measured in each round, 0.001 to 10.")] = 0.05,
    peers: Annotated[
        Path | None, typer.Option(help="Where `make peers` built the peers' environments; this checkout if left out.")
    ] = None,
    as_json: AsJson = False,
) -> Exit:
    """How fast the allocator is: medians, spread, and the ratio to peers that `make peers` has built."""
    check_rounds(rounds)
    check_seconds(seconds)
    from bandgap.bench_report import show_measured
    from bench.allocator.measure import measure
    from bench.allocator.pace import Pace
    from bench.peers.environments import ROOT

    return show_measured(measure(Pace(rounds, seconds), peers or ROOT), as_json=as_json)
