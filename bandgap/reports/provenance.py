"""Which code and which tools an answer comes from."""

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import bandgap

TOOLS = ("torch", "z3-solver", "hypothesis")


def provenance() -> dict[str, str]:
    """Name and version of everything that the answer depends on."""
    versions = {name: version(name) for name in ("bandgap", *TOOLS)}
    return {**versions, "python": platform.python_version(), "platform": platform.platform(), "revision": revision()}


def revision() -> str:
    """The commit of the source tree, with a `+` when something in it is not committed; `unknown` outside a checkout."""
    root = Path(bandgap.__file__).parents[1]
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    changed = _git(root, "status", "--porcelain")
    return "unknown" if commit is None or changed is None else f"{commit}{'+' if changed else ''}"


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
