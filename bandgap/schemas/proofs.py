"""What `bandgap prove` prints with `--json`."""

from typing import Any, Literal

import msgspec

Verdict = Literal["proved", "violated", "unknown"]


class SmallArena(msgspec.Struct):
    """A small arena; a table has a list of keys and values, and what is not in it is zero or false."""

    base: int
    capacity: int
    bottom: int
    top: int
    origins: list[int]
    page_bytes: list[int]
    tables: dict[str, list[list[Any]]]


class Counterexample(msgspec.Struct):
    """What breaks a property: an arena, what happens in it, and of what the property is false then."""

    event: str
    action: str | None
    arguments: list[int]
    false_of: list[str]
    before: SmallArena
    after: SmallArena


class SmallestArena(msgspec.Struct):
    """How much there is in the smallest arena that shows it; whether nothing smaller does."""

    bands: int
    pages: int
    tickets: int
    ids: int
    publishers: int
    page_bytes: list[int]
    is_least: bool


class WayThere(msgspec.Struct):
    """How it comes about from an empty arena, if that was found."""

    is_reached: bool
    actions: list[str]
    states_seen: int
    bound: int


class Mending(msgspec.Struct):
    """The sentence that mends the guard, empty if there is none; of whose guard it is, and what still happens."""

    sentence: str
    as_in: str
    where: str
    tried: int
    all_tried: bool
    still_happens: str | None


class Help(msgspec.Struct):
    """What helps with a violated obligation; what was not looked for is null, and `not_applicable` says why."""

    action: str | None
    property: str
    smallest: SmallestArena | None
    reached: WayThere | None
    repair: Mending | None
    not_applicable: str


class Answer(msgspec.Struct):
    """What came of an obligation; a counterexample that is no arena is a small case, in words."""

    name: str
    kind: str
    action: str | None
    property: str
    verdict: Verdict
    seconds: float
    reason: str
    counterexample: Counterexample | None
    small_case: str
    help: Help | None


class Witness(msgspec.Struct):
    """Something that must be able to happen, and the stages where it was seen to."""

    name: str
    verdict: Verdict
    seen_at: list[str]
    reason: str


class Trial(msgspec.Struct):
    """What came of leaving out a sentence, or of a seeded fault: the property that must be refuted, and what is."""

    name: str
    says: str
    property: str
    precedent: str
    verdict: Verdict
    refuted: list[str]
    reason: str
    seconds: float
    counterexample: Counterexample | None
    small_case: str


class Prove(msgspec.Struct):
    """`bandgap prove`; idle are the properties that nothing breaks."""

    verdict: Verdict
    obligations: int
    proved: int
    violated: int
    unknown: int
    seconds: float
    interrupted: bool
    weakening: str | None
    answers: list[Answer]
    vacuity: list[Witness]
    necessity: list[Trial]
    faults: list[Trial]
    idle: list[str]


class ListedObligation(msgspec.Struct):
    """An obligation."""

    name: str
    kind: str
    action: str | None
    property: str


class ListedContract(msgspec.Struct):
    """A contract of the allocator's arithmetic, and the ways in which it is broken on purpose."""

    name: str
    says: str
    broken: list[str]


class ListedWeakening(msgspec.Struct):
    """What can be left out or broken, and the property that must fail then."""

    name: str
    says: str
    property: str
    precedent: str


class ProveList(msgspec.Struct):
    """`bandgap prove --list`."""

    obligations: list[ListedObligation]
    contracts: list[ListedContract]
    guard_sentences: list[ListedWeakening]
    assumptions_of_theorems: list[ListedWeakening]
    seeded_faults: list[ListedWeakening]
