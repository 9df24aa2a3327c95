"""Findings that are known: each has an owner, a reason, and a day after which it is red again."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from bandgap.errors import UsageError
from fuzz.peers.hunting import Finding

ASKED: Final = {"target": str, "property": str, "owner": str, "reason": str, "expires": date}
"""What every entry says, and as what."""

ALSO: Final = {"call": str}
"""What an entry may say: the name of the last call, for those findings alone."""


@dataclass(frozen=True)
class Known:
    """One entry of the file.

    Attributes:
        target: by name; with `==` and a release it holds for that release alone.
        property: the one that breaks.
        owner: who looks after it.
        reason: why it is not looked at now.
        expires: the last day on which it is excused.
        call: the call at which it breaks, if it is to hold for that alone.
    """

    target: str
    property: str
    owner: str
    reason: str
    expires: date
    call: str | None = None

    def names(self, finding: Finding, target: str, version: str) -> bool:
        """It is this finding, expired or not."""
        return (
            self.target in {target, f"{target}=={version}"}
            and self.property == finding.property
            and self.call in {None, finding.last_call()}
        )


def read_known(path: Path) -> tuple[Known, ...]:
    """The entries of a TOML file, each a table `[[finding]]`.

    Raises:
        UsageError: it cannot be read, or an entry says too little or too much.
    """
    try:
        document = tomllib.loads(path.read_text())
    except OSError as error:
        raise UsageError("--known", str(path), f"cannot be read ({error.strerror})", "name a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            "--known", str(path), f"is no TOML: {error}", "give each finding a [[finding]] table"
        ) from error
    entries = document.pop("finding", [])
    if document or not isinstance(entries, list):
        raise UsageError("--known", str(path), "has more than [[finding]] tables", "give each finding one")
    return tuple(_entry(path, number, entry) for number, entry in enumerate(entries, 1))


def _entry(path: Path, number: int, entry: dict[str, Any]) -> Known:
    for field, kind in {**ASKED, **ALSO}.items():
        value = entry.get(field)
        if value is None and field in ASKED:
            raise UsageError(f"--known {path.name}, finding {number}", field, "is missing", f"say {', '.join(ASKED)}")
        if value is not None and (not isinstance(value, kind) or value == ""):
            raise UsageError(f"--known {path.name}, {field}", value, "is nothing that it can be", f"a {kind.__name__}")
    unknown = sorted(set(entry) - {*ASKED, *ALSO})
    if unknown:
        raise UsageError(f"--known {path.name}, finding {number}", unknown[0], "is not asked for", "leave it out")
    return Known(**entry)


def excuse(finding: Finding, target: str, version: str, known: Sequence[Known], today: date) -> Known | None:
    """The entry that excuses a finding today."""
    for entry in known:
        if entry.names(finding, target, version) and today <= entry.expires:
            return entry
    return None


def expired(finding: Finding, target: str, version: str, known: Sequence[Known], today: date) -> Known | None:
    """The entry that excused a finding until a day that is over."""
    for entry in known:
        if entry.names(finding, target, version) and today > entry.expires:
            return entry
    return None
