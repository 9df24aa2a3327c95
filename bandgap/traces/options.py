"""How a trace is named, the same for every verb that reads one."""

from typing import Annotated

import typer

Traces = Annotated[
    list[str],
    typer.Argument(
        metavar="TRACE",
        help="A trace, plain or gzipped: its file, or files in any order, a folder or a pattern; - for stdin.",
    ),
]
"""As the parameter `traces`."""
