"""The command `bandgap` in a process of its own, as a shell runs it."""

import os
import subprocess
import sys


def bandgap(*arguments: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    """What comes of it on a terminal of so many columns."""
    return subprocess.run(
        [sys.executable, "-m", "bandgap", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": str(columns)},
    )
