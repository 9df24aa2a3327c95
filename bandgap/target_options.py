"""What is said of another's allocator that is driven, the same for every verb that drives one."""

from pathlib import Path
from typing import Annotated

import typer

Checkout = Annotated[
    Path | None, typer.Option(metavar="DIR", help="A checkout of the peer that is driven instead of its release.")
]
"""As the parameter `path`."""

DriverPython = Annotated[
    Path | None, typer.Option(metavar="EXE", help="The Python in which DRIVER.py runs; this one if left out.")
]
"""As the parameter `python`."""

Known = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Findings of another's allocator that are excused, and until when."),
]
"""As the parameter `known`."""
