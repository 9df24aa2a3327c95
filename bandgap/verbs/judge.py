"""`bandgap judge`: a recorded trace."""

from typing import Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, out, print_json
from bandgap.traces.options import Traces


def run(
    traces: Traces,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="The trace is still being written: no closing line is asked for.")
    ] = False,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", help="Judge the lines as they are written, from file to file, until the end or Ctrl-C."
        ),
    ] = False,
    as_json: AsJson = False,
) -> Exit:
    """Judge a recorded trace: every call and every step by the specification, up to the first that is not legal."""
    from bandgap.traces.following import followed
    from bandgap.traces.judging import judged
    from bandgap.traces.report import document, report

    if follow and len(traces) > 1:
        raise UsageError(
            "--follow", traces[1], "is more than one file", "give the first alone: it says which comes next"
        )
    said = followed(traces[0]) if follow else judged(traces, whole=not unfinished)
    if as_json:
        print_json(document(said))
    else:
        console = out()
        console.print(*report(said, console.width), sep="\n", soft_wrap=True)
    if said.finding is not None:
        return Exit.VIOLATED
    return Exit.INCONCLUSIVE if said.interrupted or said.verdict.lost else Exit.HOLDS
