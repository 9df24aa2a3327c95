"""What the verbs that fuzz print with `--json`."""

from typing import Any

import msgspec

from bandgap.schemas.shared import History, Outcome, Reached


class Coverage(msgspec.Struct):
    """What was exercised, how often, and what was not."""

    actions: dict[str, int]
    outcomes: dict[str, int]
    operations: dict[str, int]
    rejections: dict[str, int]
    boundaries: dict[str, int]
    pairs: dict[str, int]
    calls: dict[str, int]
    events: dict[str, int]
    parts: list[Reached]
    unexercised: list[str]


class Fuzz(msgspec.Struct):
    """`bandgap fuzz`."""

    target: str
    seed: int
    verdict: Outcome
    reasons: list[str]
    stopped: bool
    calls: int
    page_actions: int
    seconds: float
    coverage: Coverage
    failures: list[dict[str, Any]]


class Evidence(msgspec.Struct):
    """How something broke: Python that shows it, how it came to that, and what bytes and tables were then."""

    code: str
    history: History | None
    bytes: list[str]
    facts: list[str]


class Reproduce(msgspec.Struct):
    """`bandgap reproduce`; there is no evidence where nothing breaks."""

    property: str
    fails: bool
    broken: str | None
    problem: str | None
    calls: int
    fault: str | None
    evidence: Evidence | None
