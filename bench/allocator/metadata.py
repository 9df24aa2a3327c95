"""The tables of an allocator for a whole device's memory, at the smallest page size."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.allocator.pace import Pace
from bench.rows import Figure, Row, row_of

ARENA_BYTES: Final = 141 * 10**9
MODEL: Final = "kimi-linear-48b-a3b"
"""The model with the smallest token, hence the most pages, of those whose layouts come with the package."""

MOST_ROUNDS: Final = 3
"""Each takes seconds, and memory does not vary."""

_NAME: Final = "metadata for a 141 GB arena with page size 1"


def rows(pace: Pace) -> Iterator[Row]:
    """Rows of one allocator, built in a new process each round."""
    rounds = [_footprint() for _ in range(min(pace.rounds, MOST_ROUNDS))]
    pages = ", ".join(f"{count:,} {name}" for name, count in rounds[0]["pages"].items())
    scene = f"{MODEL}, up to {pages} pages."

    def row(ending: str, unit: str, key: str, note: str) -> Row:
        figure = Figure(f"{_NAME}, {ending}", unit, False, f"{scene} {note}")
        return row_of(figure, [each[key] for each in rounds], [])

    yield row("time to build", "s", "seconds", "Wall time. The device's memory and page tables are not in it.")
    yield row("host memory when built", "bytes", "built", "Resident; tables take memory when they are first touched.")
    yield row(
        "host memory when all used", "bytes", "used", "Resident, after every page was live, held, withheld and free."
    )


def _footprint() -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.allocator.footprint", MODEL, str(ARENA_BYTES)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=root)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
