"""The specification at a revision, and what became of it since."""

import io
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from bandgap.lock.items import COVERED, Items, items_of, sources_in
from bandgap.lock.lockfile import NAME, RENEW, Change, changes, locked, read


class NoRevision(Exception):
    """A revision that cannot be read, and why."""


@dataclass(frozen=True)
class Since:
    """What changed between a revision and the tree, and what is wrong with the way it did."""

    revision: str
    changes: tuple[Change, ...]
    problems: tuple[str, ...]
    """Why the lock does not account for the changes; empty if it does."""


def since(root: Path, revision: str) -> Since:
    """Compare a revision with the tree.

    Raises:
        NoRevision: git knows no such revision here.
    """
    sources, lock_then = _at(root, revision)
    now = items_of(sources_in(root))
    changed = tuple(changes(items_of(sources), now))
    problems = list(stale(root, now))
    if changed and not problems and lock_then == dict(locked(root)):
        problems.append(f"{NAME} is the same as at {revision}; renew it with {RENEW}")
    return Since(revision, changed, tuple(problems))


def stale(root: Path, now: Items) -> tuple[str, ...]:
    """A sentence for each thing that the tree's lock says otherwise than its source."""
    differing = changes(locked(root), now)
    return tuple(f"{change} without {NAME}; renew it with {RENEW}" for change in differing)


def _at(root: Path, revision: str) -> tuple[dict[str, str], Items]:
    known = (
        _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    )
    listed = _git(root, "ls-tree", "-r", "--name-only", "-z", known, "--", *COVERED, NAME).decode().split("\0")
    wanted = [name for name in listed if name.endswith(".py") or name == NAME]
    if not wanted:
        return {}, {}
    files = {}
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", known, "--", *wanted))) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                files[member.name] = content.read().decode()
    lock = files.pop(NAME, "")
    return files, read(lock)


def _git(root: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", b"") or b""
        raise NoRevision(said.decode(errors="replace").strip() or "git does not know it here") from error
    return done.stdout
