"""`bandgap bench recorder`: what it costs to write down every call and step."""

from typing import Annotated

import typer

from bandgap.bench_options import check_rounds, check_seconds
from bandgap.exits import Exit
from bandgap.output import AsJson


def run(
    rounds: Annotated[int, typer.Option(help="How often each figure is measured, 1 to 100.")] = 15,
    seconds: Annotated[float, typer.Option(help="For how long a rate is measured in each round, 0.001 to 10.")] = 0.05,
    as_json: AsJson = False,
) -> Exit:
    """What the recorder costs the thread that serves, and the one that writes: medians and spread."""
    check_rounds(rounds)
    check_seconds(seconds)
    from bandgap.bench_report import show_measured
    from bench.allocator.pace import Pace
    from bench.allocator.recorder import rows

    return show_measured(rows(Pace(rounds, seconds)), as_json=as_json)
