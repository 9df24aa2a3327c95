"""Findings that are known: each has an owner, a reason, and a last day, after which the file is not taken any more."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from bandgap.errors import UsageError
from fuzz.peers.process import Description
from spec.admission.properties import PROPERTIES
from spec.judge.checks import CHECKS
from spec.specification import INVARIANTS, STEPS, THEOREMS

ASKED: Final = {"target": str, "property": str, "owner": str, "reason": str, "expires": date}
"""What every entry says, and as what."""

ALSO: Final = {"call": str}
"""What an entry may say: the name of the last call, for those findings alone."""


NAMES: Final = frozenset({*INVARIANTS, *STEPS, *THEOREMS, *CHECKS, *PROPERTIES, "crash", "hang"})
"""What can break in any target; a driver has its own besides."""


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

    def is_for(self, target: str, version: str) -> bool:
        """It is about this target, in this release."""
        return self.target in {target, f"{target}=={version}"}

    def names(self, broken: str, call: str, target: str, version: str) -> bool:
        """It is a finding that this property breaks at this call."""
        return self.is_for(target, version) and self.property == broken and self.call in {None, call}


def plain(target: str) -> str:
    """A target's name without release, folder and suffix, as entries and saved failures have it."""
    return Path(target.partition("==")[0]).stem


def read_known(path: Path, today: date) -> tuple[Known, ...]:
    """The entries of a TOML file, each a table `[[finding]]`.

    Raises:
        UsageError: it cannot be read, or an entry says too little or too much, or its last day is over.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))  # as TOML is, whatever the locale
    except OSError as error:
        raise UsageError("--known", str(path), f"cannot be read ({error.strerror})", "name a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            "--known", str(path), f"is no TOML: {error}", "give each finding a [[finding]] table"
        ) from error
    entries = document.pop("finding", [])
    if document or not isinstance(entries, list):
        raise UsageError("--known", str(path), "has more than [[finding]] tables", "give each finding one")
    return tuple(_entry(path, number, entry, today) for number, entry in enumerate(entries, 1))


def _entry(path: Path, number: int, entry: Any, today: date) -> Known:
    where = f"--known {path.name}, finding {number}"
    if not isinstance(entry, dict):
        raise UsageError(where, entry, "is no table", "give each finding a [[finding]] table")
    for field, kind in {**ASKED, **ALSO}.items():
        value = entry.get(field)
        if value is None and field in ASKED:
            raise UsageError(where, field, "is missing", f"say {', '.join(ASKED)}")
        # a time of day is a date to Python
        if value is not None and (type(value) is not kind or not str(value).strip()):
            remedy = f"write {_WRITTEN[kind]}"
            raise UsageError(f"{where}, {field}", value, f"is no {kind.__name__} that says something", remedy)
    unknown = sorted(set(entry) - {*ASKED, *ALSO})
    if unknown:
        raise UsageError(where, unknown[0], "is not asked for", "leave it out")
    known = Known(**entry)
    if known.expires < today:
        problem = f"was the last day on which {known.owner} excused {known.property} of {known.target}"
        raise UsageError(f"{where}, expires", str(known.expires), problem, "mend it, agree on another day, or drop it")
    return known


_WRITTEN: Final = {str: "some words in quotes", date: "a day without quotes, as 2027-01-31"}


def must_be_known(entries: Sequence[Known], target: str, description: Description) -> None:
    """The properties that entries name can break in this target.

    Raises:
        UsageError: one cannot, and would excuse nothing for ever.
    """
    names = {*NAMES, *description.promises, *(fault.property for fault in description.faults.values())}
    for number, entry in enumerate(entries, 1):
        if entry.is_for(target, description.version) and entry.property not in names:
            near = get_close_matches(entry.property, names, n=1)
            remedy = f"did you mean {near[0]}?" if near else "`bandgap prove --list` and the driver's promises name all"
            problem = f"is no property that can break in {target}"
            raise UsageError(f"--known, finding {number}, property", entry.property, problem, remedy)


def excuse(broken: str, call: str, target: str, version: str, known: Sequence[Known]) -> Known | None:
    """The entry that excuses a finding.

    Args:
        broken: the property.
        call: the last of its script, by name.
        target: in which it is found, by its plain name.
        version: of the target.
        known: the entries.
    """
    return next((entry for entry in known if entry.names(broken, call, target, version)), None)
