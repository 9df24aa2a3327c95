"""`bandgap bench judge`: how fast a trace is judged."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bandgap.bench_options import check_range, check_rounds
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json

if TYPE_CHECKING:
    from bench.judge import Round


def run(
    pages: Annotated[int, typer.Option(help="Pages of the arena, 1,000 to 10,000,000.")] = 100_000,
    tickets: Annotated[int, typer.Option(help="Outstanding tickets, 1 to 1,000.")] = 64,
    cycles: Annotated[
        int, typer.Option(help="Forwards in the trace, some 160 page actions each; 10 to 100,000.")
    ] = 300,
    rounds: Annotated[int, typer.Option(help="How often the trace is judged, 1 to 100.")] = 7,
    as_json: AsJson = False,
) -> Exit:
    """How fast the judge is, on the calls and steps of a serving engine: medians and spread."""
    check_range("--pages", pages, 1_000, 10_000_000)
    check_range("--tickets", tickets, 1, 1_000)
    check_range("--cycles", cycles, 10, 100_000)
    check_rounds(rounds)
    from bandgap.bench_report import table_of
    from bench.judge import measure, rows, work
    from bench.surroundings import surroundings

    done: list[Round] = []
    with err().status("writing the trace") as status:
        given = work(pages, tickets, cycles)
        try:
            for number in range(1, rounds + 1):
                status.update(f"round {number} of {rounds}")
                done += measure(given, 1)
        except KeyboardInterrupt:
            if not done:
                raise
    figures = list(rows(given, done))
    if as_json:
        mix = done[0].lines.by_action
        print_json({"rows": [asdict(row) for row in figures], "by_action": mix, "surroundings": surroundings()})
    else:
        out().print(*table_of(figures, surroundings()), sep="\n")
    if len(done) < rounds:
        err().print(f"stopped after {len(done)} of {rounds} rounds")
        return Exit.INCONCLUSIVE
    return Exit.HOLDS
