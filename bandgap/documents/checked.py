"""What the judge checks besides the properties: each with a trace that it refuses."""

from collections.abc import Iterator, Mapping, Sequence

from bandgap.documents.catalogue import all_faults
from bandgap.documents.entries import Style, of_faults
from bandgap.documents.markdown import bullets, fenced, sentence
from bandgap.documents.scenes.arena import FULL, LIVE, NAMES, START
from bandgap.documents.scenes.judged import opening, records_of
from bandgap.record_words import in_words
from bandgap.traces.picture import picture_of
from events import records as r
from spec.judge.checks import CHECKS
from spec.judge.judge import Judge

ONE_PAGE = r.Allocate([0, 0, 1])

REFUSED: Mapping[str, Sequence[r.AnyRecord]] = {
    "agreement": (ONE_PAGE, r.Allocated(FULL, [4], [1]), r.End("done", [[], [], [2]])),
    "all-or-nothing": (
        r.Allocate([0, 1, 1]),
        r.Allocated(FULL, [4], [1]),
        r.Refused("evict", evict=[None, 1, None]),
        r.End("refused"),
    ),
    "trace": (r.Drain(), r.End(), r.Header(r.VERSION, "another", "toy", [r.Band("full", 2, 20, 1)], 0, 32, 0, 6)),
}
"""For each check the last records of a trace that the judge refuses for it."""


def check_parts(name: str, style: Style) -> Iterator[str]:
    """What is said of a check, below its heading."""
    yield CHECKS[name]
    yield "No proof speaks of it: it is about a trace and an allocator's tables, which the judge reads."
    yield style.heading("Example")
    judge = Judge()
    before = [*opening(START, NAMES), *(record for act in LIVE for record in records_of(START, NAMES, act))]
    for record in before:
        assert judge.take(record) is None
    said, finding = [], None
    for record in REFUSED[name]:
        said.append(sentence(in_words(record, judge.header)))
        finding = judge.take(record)
    assert finding is not None
    assert finding.check == name, finding
    yield "A trace goes on like this:"
    yield bullets(said)
    yield f"At the last line the judge says:\n\n{fenced([str(finding)])}"
    drawn = picture_of(judge, finding)
    assert drawn is not None
    yield style.draw([("the arena then", drawn.before)], "")
    faults = [fault for fault in all_faults() if fault.property == name]
    if faults:
        yield style.heading("Seeded faults that must break it")
        yield of_faults(faults, style)
