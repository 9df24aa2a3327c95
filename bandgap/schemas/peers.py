"""What `bandgap gate` prints with `--json`, of another's allocator."""

from typing import Any

import msgspec

from bandgap.schemas.shared import Canary, History, Outcome


class PeerFinding(msgspec.Struct):
    """What breaks in another's allocator, the calls that show it, and of each its first and last line of the trace.

    Without lines, history and code it did not show again; a call whose first line is after its last has none.
    """

    property: str
    problem: str
    setup: str
    calls: int
    script: list[list[Any]]
    lines: list[tuple[int, int]]
    code: str
    history: History | None
    bytes: list[str]
    facts: list[str]
    file: str
    excused_by: str | None


class PeerCoverage(msgspec.Struct):
    """What was exercised of another's allocator, how often, and what was not."""

    outcomes: dict[str, int]
    actions: dict[str, int]
    unexercised: list[str]


class Peer(msgspec.Struct):
    """`bandgap gate --target` of another's allocator."""

    target: str
    version: str
    source: str
    verdict: Outcome
    reasons: list[str]
    seed: int
    calls: int
    calls_per_second: float
    page_actions: int
    coverage: PeerCoverage
    findings: list[PeerFinding]
    canary: Canary | None
    files: dict[str, str]
