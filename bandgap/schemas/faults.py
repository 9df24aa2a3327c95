"""What `bandgap faults` prints with `--json`."""

from typing import Literal

import msgspec


class Fault(msgspec.Struct):
    """A seeded fault and what became of it; no calls where none are made."""

    name: str
    level: str
    precedent: str
    property: str
    verdict: Literal["caught", "caught by another property", "survived", "invalid", "not run"]
    caught_by: str | None
    calls: int | None
    seconds: float
    shrunk: int | None
    problem: str | None


class Passed(msgspec.Struct):
    """What the unmodified code passed."""

    what: str
    passed: str
    problem: str | None


class Baseline(msgspec.Struct):
    """How the unmodified code did: the property that broke, if one did."""

    calls: int
    property: str | None
    passed: list[Passed]


class Faults(msgspec.Struct):
    """`bandgap faults`."""

    holds: bool
    baseline: Baseline
    verdicts: dict[str, int]
    faults: list[Fault]


class ListedFault(msgspec.Struct):
    """A seeded fault."""

    name: str
    level: str
    precedent: str
    property: str
    says: str


class FaultList(msgspec.Struct):
    """`bandgap faults --list`."""

    faults: list[ListedFault]
