"""What is generated into the tree, and whether it is what lies there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import bandgap
from bandgap.documents.compatibility import compatibility
from bandgap.documents.semantics import semantics
from bandgap.documents.trust import trust
from bandgap.lock.items import items_of, sources_in
from bandgap.lock.lockfile import NAME, RENEW, changes, locked, written

ROOT = Path(bandgap.__file__).parents[1]

DOCUMENTS: Mapping[str, Callable[[], str]] = {
    "docs/semantics.md": semantics,
    "docs/trust.md": trust,
    "docs/compatibility.md": compatibility,
}
"""Files of the tree and what makes them."""

MAKE = "bandgap docs"
"""What writes them."""


@dataclass(frozen=True)
class Drift:
    """A file that is not what would be generated."""

    file: str
    problem: str
    remedy: str


def write_documents(root: Path) -> tuple[Path, ...]:
    """Write every document; returns those that are different now."""
    found = []
    for name, make in DOCUMENTS.items():
        path, text = root / name, make()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            found.append(path)
    return tuple(found)


def write_lock(root: Path) -> tuple[str, ...]:
    """Renew the lock; returns what changed in it."""
    items = items_of(sources_in(root))
    changed = tuple(str(change) for change in changes(locked(root), items))
    (root / NAME).write_text(written(items))
    return changed


def drifts(root: Path) -> tuple[Drift, ...]:
    """The files that are not what would be generated."""
    found = []
    for name, make in DOCUMENTS.items():
        path = root / name
        if not path.exists():
            found.append(Drift(name, "is missing", MAKE))
        elif (line := _first_difference(path.read_text(), make())) is not None:
            found.append(Drift(name, f"is out of date from line {line} on", MAKE))
    stale = [str(change) for change in changes(locked(root), items_of(sources_in(root)))]
    if stale:
        found.append(Drift(NAME, f"does not know of {len(stale)} changes, such as: {stale[0]}", RENEW))
    return tuple(found)


def _first_difference(old: str, new: str) -> int | None:
    """The first line in which two texts differ; none if they do not."""
    if old == new:
        return None
    lines = zip(old.splitlines(), new.splitlines(), strict=False)
    same = min(old.count("\n"), new.count("\n")) + 1
    return next((number for number, (one, other) in enumerate(lines, 1) if one != other), same)
