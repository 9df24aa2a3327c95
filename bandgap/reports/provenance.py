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
    found = {**versions, "python": platform.python_version(), "platform": platform.platform(), "revision": revision()}
    changed = changes()
    if changed:
        more = f" and {len(changed) - MOST_CHANGED} more" if len(changed) > MOST_CHANGED else ""
        found["changed"] = ", ".join(changed[:MOST_CHANGED]) + more
    return found


def revision() -> str:
    """The commit of the source tree, with a `+` when something in it is not committed; `unknown` outside a checkout."""
    root = _root()
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    changed = _git(root, "status", "--porcelain")
    return "unknown" if commit is None or changed is None else f"{commit.strip()}{'+' if changed.strip() else ''}"


def changes() -> tuple[str, ...]:
    """The files of the source tree that are not as they were committed."""
    # entries of two letters, a space and a name; a renamed file has its old name after it
    entries = iter((_git(_root(), "status", "--porcelain", "-z") or "").split("\0"))
    found = []
    for entry in entries:
        if entry:
            found.append(entry[3:])
        if entry[:1] in ("R", "C"):
            next(entries, None)
    return tuple(found)


def _root() -> Path:
    return Path(bandgap.__file__).parents[1]


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace")
