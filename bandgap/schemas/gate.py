"""What `bandgap gate` prints with `--json`, of our allocator."""

from typing import Literal

import msgspec

from bandgap.schemas.shared import Canary, History, Outcome, Reached


class Count(msgspec.Struct):
    """How much of something was checked, and the least that is asked for."""

    what: str
    number: int
    floor: int


class Reason(msgspec.Struct):
    """Why an answer is no better than it is."""

    answer: Outcome
    text: str


class Violation(msgspec.Struct):
    """A property that does not hold: what is wrong, code and a command that show it again, where it is saved.

    `steps` are the calls of the code without what sets them up; `sides` says who says what, where they contradict each
    other; `absent` are the operations that were switched off in the life that broke.
    """

    check: str
    prose: str
    where: str
    problem: str
    code: str
    file: str
    command: str
    call: str
    target: str
    steps: str
    sides: list[tuple[str, str]]
    absent: list[str]
    history: History | None


class Place(msgspec.Struct):
    """Where a symptom was seen."""

    lane: str
    where: str
    calls: int
    file: str
    command: str


class Symptom(msgspec.Struct):
    """Violations that look alike, that with the fewest calls first; what all share, and in what they differ."""

    check: str
    call: str
    title: str
    places: list[Place]
    always: dict[str, str]
    differed: dict[str, str]


class Exercised(msgspec.Struct):
    """What a lane exercised, how often, and how often is asked for."""

    what: str
    times: int
    floor: int


class Task(msgspec.Struct):
    """A piece of a lane."""

    name: str
    seconds: float
    run_again: bool


class Lane(msgspec.Struct):
    """What one lane of the gate came to."""

    name: str
    claim: str
    answer: Outcome
    left_out: bool
    seconds: float
    counts: list[Count]
    reasons: list[Reason]
    canaries: list[Canary]
    violations: list[Violation]
    coverage: list[Exercised]
    tasks: list[Task]


class Gate(msgspec.Struct):
    """`bandgap gate`."""

    answer: Outcome
    exit: Literal[0, 1, 2, 3]
    stopped: bool
    seconds: float
    target: str
    seed: int
    quick: bool
    workers: int
    coverage: list[Reached]
    symptoms: list[Symptom]
    lanes: list[Lane]
    files: dict[str, str]
    provenance: dict[str, str]
