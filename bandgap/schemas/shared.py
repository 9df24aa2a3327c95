"""What several verbs print with `--json`."""

from typing import Literal

import msgspec

Outcome = Literal["holds", "inconclusive", "broken", "violated"]


class Misuse(msgspec.Struct):
    """What was asked in a way that cannot be answered."""

    field: str
    value: str
    problem: str
    remedy: str


class Error(msgspec.Struct):
    """Any verb, used wrongly: exit code 2."""

    error: Misuse


class Canary(msgspec.Struct):
    """A deliberate fault that must be caught."""

    fault: str
    expects: str
    caught_by: str | None


class Reached(msgspec.Struct):
    """How much of one part of the specification was exercised at all, and by name what never was."""

    what: str
    reached: int
    of: int
    never: list[str]


class Told(msgspec.Struct):
    """A call of a short trace: what the allocator did, and which pages, ids, tickets and streams of those it touches.

    The pages and so on are those that what broke is about.
    """

    call: int
    line: int
    says: str
    came: list[str]
    touches: list[str]


class StreamRow(msgspec.Struct):
    """A ticket that is outstanding where something broke; its stream is empty if it is on none."""

    stream: str
    ticket: int
    user: str
    waits: list[int]
    after: list[int]
    holds: list[str]
    concerned: bool


class Entry(msgspec.Struct):
    """One line of a history: of the trace and of which call, what it says, and how it bears on what broke."""

    line: int
    call: int
    says: str
    bears: str


class History(msgspec.Struct):
    """Where something broke, whom it concerns, and how it came to that, the oldest line first."""

    line: int
    call: int
    request: str
    event: str
    tickets: list[str]
    entries: list[Entry]
    calls: list[Told]
    streams: list[StreamRow]
