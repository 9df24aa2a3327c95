"""What the verbs that read traces print with `--json`."""

from typing import Any, Literal

import msgspec

from bandgap.schemas.shared import History


class Argument(msgspec.Struct):
    """An argument of the action that was not legal."""

    sort: str
    value: Any


class Finding(msgspec.Struct):
    """The first line of a trace that is not legal: which check it fails, why, and whose line it is."""

    line: int
    check: str
    prose: str
    problem: str
    blame: Literal["driver", "allocator", "trace"]
    action: str | None
    arguments: list[Argument]
    record: Any
    record_in_words: str | None
    history: History | None


class Judge(msgspec.Struct):
    """`bandgap judge`."""

    trace: str
    goes_on_in: str | None
    outcome: Literal["legal", "illegal", "damaged", "interrupted", "inconclusive"]
    model: str | None
    producer: str | None
    bands: list[str] | None
    lines: int
    calls: int
    misuses: int
    lost: int
    page_actions: int
    by_action: dict[str, int]
    seconds: float
    page_actions_per_second: float
    finding: Finding | None


class SeenFinding(msgspec.Struct):
    """The line of a trace up to which it is drawn, and what is wrong with it."""

    line: int
    file: str
    line_in_file: int
    check: str
    problem: str


class SeenFile(msgspec.Struct):
    """A file of a trace, and the line of the whole trace with which it begins."""

    file: str
    first_line: int


class View(msgspec.Struct):
    """`bandgap view`; lines are counted through all files."""

    trace: str
    files: list[SeenFile]
    goes_on_in: str | None
    outcome: Literal["legal", "illegal", "damaged", "interrupted", "inconclusive"]
    model: str | None
    lines: int
    lost: int
    page: str
    drawn: Literal["pieces", "grid"] | None
    lines_of_a_cell: int | None
    bytes_of_a_cell: int | None
    perfetto: str | None
    memory_viewer: str | None
    memory_viewer_left_out: int
    finding: SeenFinding | None
