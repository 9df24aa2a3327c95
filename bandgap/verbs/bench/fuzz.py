"""`bandgap bench fuzz`: how fast an allocator is driven, judged and read back."""

from typing import Annotated

import typer

from bandgap.bench_options import check_range, check_rounds
from bandgap.exits import Exit
from bandgap.output import AsJson


def run(
    rounds: Annotated[int, typer.Option(help="How often each figure is measured, 1 to 100.")] = 5,
    calls: Annotated[int, typer.Option(help="Judged calls of one measurement, 100 to 1,000,000.")] = 8_000,
    as_json: AsJson = False,
) -> Exit:
    """How fast the fuzzer is, beside a state machine of Hypothesis that does nothing: medians and spread."""
    check_rounds(rounds)
    check_range("--calls", calls, 100, 1_000_000)
    from bandgap.bench_report import show_measured
    from bench.fuzz import FIGURES, measure

    return show_measured(measure(rounds, calls), as_json=as_json, planned=len(FIGURES))
