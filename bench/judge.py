"""How fast a trace is judged: the calls and steps of a serving engine on an arena that is mostly in use."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import process_time
from typing import Final

from bench.rows import Figure, Row, row_of
from bench.stream import Stream
from events.records import AnyRecord
from events.trace import seal, unseal
from spec.judge.judge import Judge

FROM_LINES: Final = Figure(
    "judge JSON lines",
    "page actions/s",
    True,
    "From sealed lines to a verdict on one core: checksums, parsing, every guard, every effect.",
)
FROM_RECORDS: Final = Figure(
    "judge records", "page actions/s", True, "The same without checksums and parsing, as a fuzzer judges."
)
OPENING: Final = Figure(
    "judge a first snapshot", "s", False, "Parsed from its line, put into tables, and every invariant evaluated."
)
AGREEING: Final = Figure(
    "judge a later snapshot", "s", False, "Parsed from its line and compared with all that the judge knows."
)


@dataclass(frozen=True)
class Work:
    """A legal trace in both forms: a header, a snapshot, calls and steps, and a snapshot that agrees."""

    records: tuple[AnyRecord, ...]
    lines: tuple[bytes, ...]
    pages: int  # of all bands
    tickets: int  # outstanding at a time


@dataclass(frozen=True)
class Reading:
    """What one reading of the trace took, in seconds of the process on its CPU."""

    opening: float
    middle: float
    agreeing: float
    by_action: dict[str, int]

    @property
    def page_actions(self) -> int:
        """How many page actions were judged."""
        return sum(self.by_action.values())


@dataclass(frozen=True)
class Round:
    """The trace read once in each form."""

    lines: Reading
    records: Reading


def work(pages: int, tickets: int, cycles: int) -> Work:
    """The trace of so many cycles of a serving engine, on an arena of about so many pages."""
    stream = Stream(pages, tickets)
    opening = (stream.header, stream.snapshot())
    for _ in range(cycles):
        stream.cycle()
    records = (*opening, *stream.taken(), stream.snapshot())
    return Work(records, tuple(seal(records)), stream.pages, tickets)


def measure(given: Work, rounds: int) -> Iterator[Round]:
    """Read the trace so often. What is judged must be legal: a judge that stops early is no fast one."""
    for _ in range(rounds):
        yield Round(
            _reading(lambda: unseal(given.lines, whole=False), len(given.records)),
            _reading(lambda: given.records, len(given.records)),
        )


def rows(given: Work, rounds: Sequence[Round]) -> Iterator[Row]:
    """What these rounds come to."""
    arena = f"{given.pages:,} pages, four fifths of them live; {given.tickets} outstanding tickets."
    for figure, samples in (
        (FROM_LINES, [its.lines.page_actions / its.lines.middle for its in rounds]),
        (FROM_RECORDS, [its.records.page_actions / its.records.middle for its in rounds]),
        (OPENING, [its.lines.opening for its in rounds]),
        (AGREEING, [its.lines.agreeing for its in rounds]),
    ):
        row = row_of(figure, samples, ())
        yield replace(row, note=f"{row.note} {arena} No peer judges a trace.")


def _reading(read: Callable[[], Iterable[AnyRecord]], count: int) -> Reading:
    judge = Judge()
    records = iter(read())

    def taken(most: int) -> float:
        begun = process_time()
        for record in islice(records, most):
            finding = judge.take(record)
            if finding is not None:
                raise AssertionError(f"the stream that is measured is not legal: {finding}")
        return process_time() - begun

    opening, middle, agreeing = taken(2), taken(count - 3), taken(1)
    assert judge.lines == count, "all of it was judged"
    return Reading(opening, middle, agreeing, dict(judge.actions))
