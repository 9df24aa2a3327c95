"""The lock: what the specification says is what its lock says it says, so that it is not weakened unseen."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import bandgap
from bandgap.gate.evidence import Canary, Count, Evidence
from bandgap.gate.lane import Lane
from bandgap.gate.settings import Settings
from bandgap.gate.task import Progress, Task
from bandgap.gate.violation import Violation
from bandgap.lock.history import NoRevision, since, stale
from bandgap.lock.items import items_of, sources_in
from bandgap.lock.lockfile import NAME, RENEW, changes, locked

ROOT = Path(bandgap.__file__).parents[1]

CHECK = "spec-lock"
PROSE = "The specification says what its lock says that it says."

LEAST_ITEMS = 300
"""Fewer mean that part of the specification is not read."""

CANARY = "guard allocate.the-page-is-not-withheld"
"""What the canary weakens, in the text alone."""
WEAKENED = ("spec/actions/pages.py", 'yield "the page is not withheld", ', 'yield "the page is not withheld", True or ')


def compare(root: Path, settings: Settings, _progress: Progress) -> Evidence:
    """The tree with its lock, and with a revision if there is one to compare with."""
    sources = sources_in(root)
    now = items_of(sources)
    said, notes, broken = list(stale(root, now)), [], []
    if settings.since is not None:
        try:
            found = since(root, settings.since)
            said, notes = list(found.problems), [f"since {settings.since}: {change}" for change in found.changes]
        except NoRevision as why:
            broken.append(f"revision {settings.since!r} cannot be read: {why}")
    counts = Count(f"things said and in {NAME}", len(now.keys() & locked(root).keys()), LEAST_ITEMS)
    return Evidence(
        (counts,),
        violations=tuple(_violations(said)),
        canaries=(_canary(sources),),
        broken=tuple(broken),
        notes=tuple(notes),
    )


def tasks(_settings: Settings) -> Sequence[Task]:
    """The one task of the lane."""
    return (Task("lock", NAME, partial(compare, ROOT), seconds=60),)


LOCK = Lane("lock", "No change of the specification has gone unseen: each is in its lock.", tasks)


def _canary(sources: dict[str, str]) -> Canary:
    path, sentence, weaker = WEAKENED
    weakened = {**sources, path: sources[path].replace(sentence, weaker, 1)}
    caught = [change.item for change in changes(items_of(sources), items_of(weakened))]
    return Canary("a guard sentence weakened", CANARY, CANARY if CANARY in caught else next(iter(caught), None))


def _violations(problems: Sequence[str]) -> Iterator[Violation]:
    for problem in problems:
        yield Violation(CHECK, PROSE, NAME, problem, command=RENEW)
