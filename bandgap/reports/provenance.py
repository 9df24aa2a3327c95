"""Which code and which tools an answer comes from."""

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Final

import bandgap

TOOLS = ("torch", "z3-solver", "hypothesis")

MOST_CHANGED: Final = 10
"""Files that are not as they were committed, and are named."""


def provenance() -> dict[str, str]:
    """Name and version of everything that the answer depends on; `changed` where files are not as committed."""
    versions = {name: version(name) for name in ("bandgap", *TOOLS)}
    changed = changes()
    found = {**versions, "python": platform.python_version(), "platform": platform.platform()}
    found["revision"] = revision(changed)
    if changed:
        more = f" and {len(changed) - MOST_CHANGED} more" if len(changed) > MOST_CHANGED else ""
        found["changed"] = ", ".join(changed[:MOST_CHANGED]) + more
    return found


def revision(changed: tuple[str, ...] | None) -> str:
    """The commit of the source tree, with a `+` when something in it is not committed; `unknown` outside a checkout."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    return "unknown" if commit is None or changed is None else f"{commit.strip()}{'+' if changed else ''}"


def changes() -> tuple[str, ...] | None:
    """The files of the source tree that are not as they were committed; None outside a checkout."""
    status = _git("status", "--porcelain", "-z")
    if status is None:
        return None
    # entries of two letters, a space and a name; a renamed file has its old name after it
    entries = iter(status.split("\0"))
    found = []
    for entry in entries:
        if entry:
            found.append(entry[3:])
        if entry[:1] in ("R", "C"):
            next(entries, None)
    return tuple(found)


def _git(*arguments: str) -> str | None:
    root = Path(bandgap.__file__).parents[1]
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace")
