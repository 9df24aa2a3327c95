"""The file `spec.lock`, and what differs from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bandgap.lock.items import Items

NAME = "spec.lock"
RENEW = "bandgap docs --lock"
"""What renews it."""

HEAD = f"""\
# A hash for each thing that the specification says: guard sentences, effects, properties, words, definitions, the
# judge, and what the proofs take as given. Prose, comments and layout do not count.
# Renew it in the commit that changes the specification: {RENEW}
"""


@dataclass(frozen=True)
class Change:
    """Something that was said before and is not, or the other way round, or is said differently."""

    how: str
    """added, removed or changed."""
    item: str
    """Its kind and name."""

    def __str__(self) -> str:
        return f"{self.how} {self.item}"


def written(items: Items) -> str:
    """The text of the file."""
    return HEAD + "".join(f"{digest}  {name}\n" for name, digest in sorted(items.items()))


def read(text: str) -> Items:
    """The hashes in the text of the file.

    Raises:
        ValueError: a line is neither a comment nor a hash and a name.
    """
    items = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            digest, separator, name = line.partition("  ")
            if not (separator and digest and name):
                raise ValueError(f"{NAME}: {line!r} is no hash and name")
            items[name] = digest
    return items


def locked(root: Path) -> Items:
    """The hashes in the file of a tree; none if there is no file."""
    path = root / NAME
    return read(path.read_text()) if path.exists() else {}


def changes(before: Items, after: Items) -> Iterator[Change]:
    """What differs, by name."""
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            how = "added" if name not in before else "removed" if name not in after else "changed"
            yield Change(how, name)
