"""The schemas of what verbs print with `--json`: what a pipeline may rely on.  There may be more in a document.

Written to `docs/schemas/` by `python -m bandgap.schemas`.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

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


class Count(msgspec.Struct):
    """How much of something was checked, and the least that is asked for."""

    what: str
    number: int
    floor: int


class Reason(msgspec.Struct):
    """Why an answer is no better than it is."""

    answer: Outcome
    text: str


class Canary(msgspec.Struct):
    """A deliberate fault that must be caught."""

    fault: str
    expects: str
    caught_by: str | None


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


class Reached(msgspec.Struct):
    """How much of one part of the specification was exercised at all, and by name what never was."""

    what: str
    reached: int
    of: int
    never: list[str]


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


class Argument(msgspec.Struct):
    """Of the action that was not legal."""

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


class ExportedFile(msgspec.Struct):
    """One question: where it is, what it is about, and the answer that it must have."""

    path: str
    name: str
    kind: str
    stage: str
    status: Literal["sat", "unsat"]
    sha256: str


class ProveExport(msgspec.Struct):
    """`bandgap prove --export`."""

    directory: str
    files: list[ExportedFile]


class Share(msgspec.Struct):
    """How many of the files with an answer a solver decided, how many it must, and those that it did not."""

    solver: str
    status: Literal["sat", "unsat"]
    files: int
    decided: int
    floor: int
    undecided: list[str]


class Opinion(msgspec.Struct):
    """What a solver says of a file, and what it must say."""

    name: str
    kind: str
    status: Literal["sat", "unsat"]
    solver: str
    said: Literal["sat", "unsat", "unknown"]
    seconds: float


class ProveCheck(msgspec.Struct):
    """`bandgap prove --check`; undecided is what no solver decided."""

    verdict: Literal["agreed", "disagreed", "inconclusive"]
    versions: dict[str, str]
    files: int
    is_whole: bool
    shares: list[Share]
    disagreeing: list[str]
    altered: list[str]
    undecided: list[str]
    opinions: list[Opinion]


class Core(msgspec.Struct):
    """The hypotheses on which a proof leans; null if they are not known."""

    name: str
    leans_on: list[str] | None


class ProveCores(msgspec.Struct):
    """`bandgap prove --cores`; idle are the invariants on which no proof leans, null if only some proofs were asked."""

    cores: list[Core]
    unknown: list[str]
    idle: list[str] | None


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


class Coverage(msgspec.Struct):
    """What was exercised, how often, and what was not."""

    actions: dict[str, int]
    outcomes: dict[str, int]
    operations: dict[str, int]
    rejections: dict[str, int]
    boundaries: dict[str, int]
    pairs: dict[str, int]
    calls: dict[str, int]
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


class Reproduce(msgspec.Struct):
    """`bandgap reproduce`."""

    property: str
    fails: bool
    broken: str | None
    problem: str | None
    calls: int
    fault: str | None


class Layout(msgspec.Struct):
    """`bandgap layout`; sizes are bytes of one rank."""

    model: str
    source: str
    page_tokens: int
    kv_dtype: str
    tp_size: int
    max_context: int | None
    chain: list[str]
    kinds: dict[str, dict[str, Any]]
    fits: dict[str, Any]


class Figure(msgspec.Struct):
    """A median of some rounds, beside a peer's."""

    name: str
    value: float
    unit: str
    spread: float | None
    peer: str | None
    peer_value: float | None
    ratio: float | None
    note: str


class Bench(msgspec.Struct):
    """`bandgap bench allocator`, `bandgap bench judge`, `bandgap bench recorder`."""

    rows: list[Figure]
    surroundings: dict[str, str]


class Replay(msgspec.Struct):
    """`bandgap replay`; times are seconds, sizes bytes."""

    requests: int
    settings: dict[str, Any]
    outcomes: list[dict[str, Any]]
    interrupted: bool


class SweepPoint(msgspec.Struct):
    """What came of one set of values."""

    values: dict[str, Any]
    outcome: dict[str, Any]


class Sweep(msgspec.Struct):
    """`bandgap replay --sweep`; times are seconds, sizes bytes."""

    settings: dict[str, Any]
    points: list[SweepPoint]


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


class CompatRefusal(msgspec.Struct):
    """What of a set-up is refused: the field, its value, the reason and the remedy."""

    field: str
    value: str
    problem: str
    remedy: str


class Compat(msgspec.Struct):
    """`bandgap compat CONFIG`; together: whether one run had all features at once."""

    verdict: Literal["allowed", "refused", "untested"]
    model: str
    sort: str
    features: list[str]
    together: bool
    refused: list[CompatRefusal]
    untested: list[list[str]]


class CompatCell(msgspec.Struct):
    """A sort of model with no, one or two features."""

    sort: str
    features: list[str]
    verdict: Literal["allowed", "refused", "untested"]
    reason: str
    remedy: str


class CompatTable(msgspec.Struct):
    """`bandgap compat`."""

    cells: list[CompatCell]


class Docs(msgspec.Struct):
    """`bandgap docs`: what was written, the site's first page, and why there is no site."""

    written: list[str]
    site: str | None
    problem: str


class DocsCheck(msgspec.Struct):
    """`bandgap docs --check`."""

    current: bool
    drifts: list[dict[str, Any]]


SCHEMAS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "error": Error,
    "gate": Gate,
    "gate-peer": Peer,
    "judge": Judge,
    "faults": Faults,
    "faults-list": FaultList,
    "prove": Prove,
    "prove-list": ProveList,
    "prove-export": ProveExport,
    "prove-check": ProveCheck,
    "prove-cores": ProveCores,
    "fuzz": Fuzz,
    "reproduce": Reproduce,
    "layout": Layout,
    "bench": Bench,
    "replay": Replay,
    "replay-sweep": Sweep,
    "view": View,
    "compat": Compat,
    "compat-table": CompatTable,
    "docs": Docs,
    "docs-check": DocsCheck,
}
"""By the name of the file."""


def schema_of(name: str) -> dict[str, Any]:
    """A schema by JSON Schema 2020-12."""
    document = msgspec.json.schema(SCHEMAS[name])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"bandgap {name}", **document}


def write_schemas(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMAS:
        (folder / f"{name}.json").write_bytes(_encoded(name))


def drifts(folder: Path) -> list[str]:
    """The files that do not say what the code does, or that are there for nothing."""
    found = {path.stem for path in folder.glob("*.json")}
    stale = [name for name in SCHEMAS if name in found and (folder / f"{name}.json").read_bytes() != _encoded(name)]
    return sorted({*stale, *(found ^ set(SCHEMAS))})


def _encoded(name: str) -> bytes:
    return msgspec.json.format(msgspec.json.encode(schema_of(name)), indent=2) + b"\n"


if __name__ == "__main__":
    write_schemas(Path(*sys.argv[1:2] or ["docs/schemas"]))
