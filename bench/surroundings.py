"""Where and with what figures were measured."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def surroundings() -> dict[str, str]:
    """The machine, the versions of what counts, the moment, and the commit if there is a repository."""
    return {
        "cpu": f"{_cpu()}, {os.cpu_count()} cores",
        "system": platform.platform(),
        "python": platform.python_version(),
        **{package: version(package) for package in ("bandgap", "numpy", "torch")},
        "commit": _commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def _commit() -> str:
    command = ["git", "-C", str(_ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
