"""The command `bandgap`. Verbs live one to a file in `bandgap/verbs/`, whose docstring says how to add one."""

from typing import Annotated

import typer

from bandgap import verbs
from bandgap.discovery import application

HELP = """A verified unified-memory allocator for hybrid LLM serving, and the gate that keeps it correct.

Exit codes: 0 holds, 1 violated, 2 used wrongly or broken tool, 3 inconclusive.
"""

app = application(verbs, HELP)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # slow, and for nothing else

        typer.echo(f"bandgap {version('bandgap')}")
        raise typer.Exit(0)


@app.callback()
def bandgap(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options of the command itself."""


def main() -> None:
    """Runs the command on the process's arguments."""
    app(prog_name="bandgap")
