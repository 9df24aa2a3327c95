"""Traces that were touched: without a new seal they are found by it, with one by what they say.

A touched trace under a good seal may be legal in its own right: two steps may commute, a page may lie elsewhere, a
driver may write another value. Whether it is, the slow reading of `reference` says independently.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec

from events import records as r
from events.trace import seal
from spec.judge.judge import judge_records, judge_trace
from tests.spec.legal_streams import legal_trace
from tests.spec.reference import Illegal, Reference, enumerating

TRACES, CALLS = 12, 28
ALTERED = 60
"""Records altered in each trace."""

Said = tuple[int, str, str] | None
"""What is said of a trace: the line, the check and who is to blame; none if it is legal."""


@cache
def trace(seed: int) -> tuple[Any, ...]:
    return tuple(legal_trace(seed, CALLS))


@cache
def slowly_read(seed: int) -> "Slowly":
    with enumerating():
        return Slowly(trace(seed))


def judged(records: list[Any]) -> Said:
    finding = judge_trace(seal(records)).finding
    return None if finding is None else (finding.line, finding.check, finding.blame)


def sealed_again(records: list[Any]) -> list[Any]:
    """The closing line counts what is there now."""
    return [r.Close(at) if isinstance(record, r.Close) else record for at, record in enumerate(records)]


class Slowly:
    """The slow reading of traces that are alike at the beginning."""

    def __init__(self, records: tuple[Any, ...]) -> None:
        self.records = records
        self.known = [Reference()]
        for record in records:
            following = self.known[-1].copied()
            following.take(record)
            self.known.append(following)

    def __call__(self, records: list[Any]) -> Said:
        alike = 0
        while alike < min(len(records), len(self.records)) and records[alike] == self.records[alike]:
            alike += 1
        known = self.known[alike].copied()
        try:
            for record in records[alike:]:
                known.take(record)
        except Illegal as illegal:
            check, blame, line = illegal.args
            return line, check, blame
        if not known.closed:
            return len(records) + 1, "trace", "trace"
        return None


# ---------------------------------------------------------------------------------------------- without a new seal


def test_without_a_new_seal_every_line_dropped_doubled_swapped_cut_or_altered_is_found_there() -> None:
    found: Counter[str] = Counter()
    for seed in range(4):
        lines = list(seal(trace(seed)))
        rng = random.Random(seed)
        for at, line in enumerate(lines):
            byte = rng.randrange(len(line))
            altered = line[:byte] + bytes([line[byte] ^ (1 << rng.randrange(8))]) + line[byte + 1 :]
            if altered.count(b"\n") != 1 or not altered.endswith(b"\n"):
                altered = b"[" + line
            touched = {
                "dropped": ([*lines[:at], *lines[at + 1 :]], at + 1),
                "doubled": ([*lines[: at + 1], *lines[at:]], at + 2),
                "swapped": ([*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]], at + 1),
                "cut": ([*lines[:at], line[:byte]], at + 1),
                "altered": ([*lines[:at], altered, *lines[at + 1 :]], at + 1),
            }
            for how, (others, where) in touched.items():
                finding = judge_trace(others).finding
                if how == "swapped" and at == len(lines) - 1:
                    assert finding is None  # there was nothing to swap it with
                    continue
                assert finding is not None
                assert (finding.line, finding.check, finding.blame) == (where, "trace", "trace"), (seed, how)
                found[how] += 1
    assert min(found.values()) > 250
    assert set(found) == {"dropped", "doubled", "swapped", "cut", "altered"}


# ------------------------------------------------------------------------------------------------- with a new seal


def dropped(records: tuple[Any, ...], rng: random.Random) -> Iterator[tuple[str, list[Any]]]:
    for at, record in enumerate(records):
        yield role(records, at), [*records[:at], *records[at + 1 :]]
        del record


def doubled(records: tuple[Any, ...], rng: random.Random) -> Iterator[tuple[str, list[Any]]]:
    for at in range(len(records)):
        yield role(records, at), [*records[: at + 1], *records[at:]]


def swapped(records: tuple[Any, ...], rng: random.Random) -> Iterator[tuple[str, list[Any]]]:
    for at in range(len(records) - 1):
        if records[at] != records[at + 1]:
            yield (
                f"{role(records, at)}, {role(records, at + 1)}",
                [*records[:at], records[at + 1], records[at], *records[at + 2 :]],
            )


def cut(records: tuple[Any, ...], rng: random.Random) -> Iterator[tuple[str, list[Any]]]:
    for at in range(len(records) - 1):
        yield role(records, at), [*records[:at], r.Close(at)]


def altered(records: tuple[Any, ...], rng: random.Random) -> Iterator[tuple[str, list[Any]]]:
    for _ in range(ALTERED):
        at = rng.randrange(len(records) - 1)
        other = other_than(records[at], rng)
        if other is not None:
            yield role(records, at), [*records[:at], other, *records[at + 1 :]]


def role(records: tuple[Any, ...], at: int) -> str:
    """What sort of a line it is."""
    record = records[at]
    if isinstance(record, r.Snapshot):
        return "the first snapshot" if at == 1 else "a later snapshot"
    for sort, kinds in (("a call", r.Call), ("a step", r.Step)):
        if isinstance(record, kinds):
            return sort
    return "an end" if isinstance(record, r.End) else "the header" if at == 0 else "the closing line"


WORDS = (
    ("forward", "copy", "transfer"),
    ("read", "write"),
    ("main", "host"),
    ("done", "refused", "failed"),
    ("rdma", "nvlink"),
    ("never", "after-release", "evict"),
)


def other_than(record: Any, rng: random.Random) -> Any:
    """The record with one number or word changed, or one item of a list gone; none if that is no record."""
    plain = msgspec.to_builtins(record)
    places = list(leaves(plain))
    if not places:
        return None
    holder, key = rng.choice(places)
    old = holder[key]
    if isinstance(old, list):
        old.pop(rng.randrange(len(old)))
    elif isinstance(old, int):
        holder[key] = max(-1, min(13, old + rng.choice([-2, -1, 1, 2])))
    else:
        alike = [words for words in WORDS if old in words]
        holder[key] = rng.choice([word for word in alike[0] if word != old]) if alike else old
    try:
        changed = msgspec.convert(plain, type(record))
    except msgspec.ValidationError:
        return None
    return None if changed == record else changed


def leaves(plain: Any) -> Iterator[tuple[Any, Any]]:
    """Where the numbers, the words and the lists with something in them are, the record's tag aside."""
    for key in plain if isinstance(plain, dict) else range(len(plain)):
        if isinstance(plain[key], int | str) and not (isinstance(plain[key], bool) or str(plain[key]).count(".")):
            yield plain, key
        elif isinstance(plain[key], list | dict):
            if isinstance(plain[key], list) and plain[key]:
                yield plain, key
            yield from leaves(plain[key])


Mutation = Callable[[tuple[Any, ...], random.Random], Iterator[tuple[str, list[Any]]]]


def tried(mutation: Mutation) -> tuple[Counter[str], Counter[str]]:
    """How many traces of each sort were touched so, and how many of them are legal; the judge and the slow reading
    must say the same of each."""
    touched: Counter[str] = Counter()
    legal: Counter[str] = Counter()
    for seed in range(TRACES):
        slowly = slowly_read(seed)
        with enumerating():
            for sort, records in mutation(trace(seed), random.Random(seed)):
                records = sealed_again(records)
                said = judged(records)
                assert said == slowly(records), (seed, sort, [*records])
                touched[sort] += 1
                legal[sort] += said is None
    return touched, +legal


def test_the_traces_are_legal_and_full_of_life() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(TRACES):
        assert judged(list(trace(seed))) is None
        kinds.update(type(record).__name__ for record in trace(seed))
    with enumerating():
        assert slowly_read(0)(list(trace(0))) is None
    assert min(kinds[kind.__name__] for union in (r.Call, r.Step) for kind in union.__args__) >= 3, kinds


def test_a_dropped_line_is_found_unless_it_is_a_later_snapshot_or_a_step_that_left_no_trace() -> None:
    touched, legal = tried(dropped)
    assert min(touched.values()) >= TRACES
    assert touched["a step"] > 150
    assert set(legal) <= {"a later snapshot", "a step"}
    assert legal["a later snapshot"] == touched["a later snapshot"]
    assert legal["a step"] < touched["a step"] / 10


def test_a_doubled_line_is_found_unless_it_is_a_later_snapshot_or_a_step_that_left_no_trace() -> None:
    touched, legal = tried(doubled)
    assert min(touched.values()) >= TRACES
    assert set(legal) <= {"the first snapshot", "a later snapshot", "a step"}
    assert legal["the first snapshot"] == TRACES
    assert legal["a later snapshot"] == touched["a later snapshot"]
    assert legal["a step"] < touched["a step"] / 10


def test_two_swapped_lines_are_found_unless_they_are_steps_that_commute() -> None:
    touched, legal = tried(swapped)
    assert touched["a step, a step"] > 30
    assert set(legal) <= {"a step, a step"}
    assert sum(touched.values()) > 800


def test_a_trace_that_was_cut_and_closed_is_found_if_it_was_cut_inside_a_call() -> None:
    touched, legal = tried(cut)
    assert set(legal) == {"a call", "a later snapshot"}
    assert all(legal[sort] == touched[sort] for sort in legal)
    assert touched["a step"] + touched["an end"] > 400


def test_an_altered_line_is_found_unless_what_it_says_now_is_legal_too() -> None:
    touched, legal = tried(altered)
    assert sum(touched.values()) > TRACES * ALTERED / 3
    # an end says what the steps said, and a header or a snapshot what the calls and steps lead to
    assert set(legal) <= {"a call", "a step", "the header", "the first snapshot"}
    assert sum(legal.values()) < sum(touched.values()) / 3


# --------------------------------------------------------------------------------- lost records, and several files


LIVES_IN_FILES = 3


@cache
def in_files(seed: int) -> tuple[Any, ...]:
    """The same life in three files, one after the other; in the second some records were lost."""
    whole = trace(seed)
    known = snapshots_of(whole)
    rest = [at for at in known if isinstance(whole[at], r.Call)]
    first, second, third = (rest[share * len(rest) // 4] for share in (1, 2, 3))
    lost = first + 2
    return (
        *whole[:first],
        r.Continued(first, "a-2"),
        whole[0],
        known[first],
        *whole[first:lost],
        r.Lost(second - lost),
        known[second],
        *whole[second:third],
        r.Continued(6 + third - second, "a-3"),
        whole[0],
        known[third],
        *whole[third:-1],
        r.Close(2 + len(whole) - 1 - third),
    )


def snapshots_of(records: tuple[Any, ...]) -> dict[int, r.Snapshot]:
    """Everything that is known after so many records, wherever no call is being made and no write is in flight."""
    known, found = Reference(), {}
    flying: dict[tuple[int, int], int] = {}
    with enumerating():
        for at, record in enumerate(records[:-1], 1):
            known.take(record)
            if isinstance(record, r.Issue):
                flying |= {(record.band, page): record.ticket for page in record.pages}
            elif isinstance(record, r.Land):
                flying = {place: ticket for place, ticket in flying.items() if place[1] not in record.pages}
            elif isinstance(record, r.Settle | r.Settled):
                flying = {place: ticket for place, ticket in flying.items() if ticket != record.ticket}
            if isinstance(record, r.End) and not flying:
                found[at] = known.snapshot()
    return found


def judged_on(records: list[Any]) -> Said:
    """What is said of records that may be of several files."""
    finding = judge_records(records).finding
    return None if finding is None else (finding.line, finding.check, finding.blame)


def whole_role(records: tuple[Any, ...], at: int) -> str:
    record = records[at]
    if isinstance(record, r.Lost | r.Continued):
        return type(record).__name__
    if isinstance(record, r.Snapshot):
        before = type(records[at - 1])
        return "a later snapshot" if before not in {r.Header, r.Lost} else f"a snapshot after {before.__name__}"
    return "a later header" if isinstance(record, r.Header) and at else role(records, at)


def touched_in_files(records: tuple[Any, ...], rng: random.Random) -> Iterator[tuple[str, str, list[Any]]]:
    """The ways in which a trace is touched, what is touched in it, and what it is then."""
    for at in range(len(records)):
        what = whole_role(records, at)
        yield "dropped", what, [*records[:at], *records[at + 1 :]]
        yield "doubled", what, [*records[: at + 1], *records[at:]]
        if at + 1 < len(records) and records[at] != records[at + 1]:
            yield "swapped", what, [*records[:at], records[at + 1], records[at], *records[at + 2 :]]
        other = other_than(records[at], rng)
        if other is not None:
            yield "altered", what, [*records[:at], other, *records[at + 1 :]]


def test_lost_records_and_several_files_are_judged_as_the_slow_reading_does_however_they_are_touched() -> None:
    touched: Counter[tuple[str, str]] = Counter()
    legal: Counter[tuple[str, str]] = Counter()
    for seed in range(LIVES_IN_FILES):
        records = in_files(seed)
        with enumerating():
            slowly = Slowly(records)
            assert judged_on(list(records)) is None is slowly(list(records))
            for how, what, others in touched_in_files(records, random.Random(seed)):
                said = judged_on(others)
                # the slow reading asks for the end of a trace, which a judge of records does not
                slow = slowly(others)
                assert said == slow or (said is None and slow == (len(others) + 1, "trace", "trace")), (seed, how, what)
                touched[how, what] += 1
                legal[how, what] += said is None
    new = ("Lost", "Continued", "a snapshot after Lost", "a snapshot after Header", "a later header")
    for what in new:
        assert touched["dropped", what] >= LIVES_IN_FILES, what
        assert touched["swapped", what] >= LIVES_IN_FILES, what
    for how, what in (
        ("dropped", "Lost"),
        ("dropped", "Continued"),
        ("dropped", "a later header"),
        ("dropped", "a snapshot after Lost"),
        ("doubled", "Lost"),
        ("doubled", "Continued"),
        ("doubled", "a later header"),
        ("swapped", "Lost"),
        ("swapped", "Continued"),
        ("swapped", "a later header"),
        ("altered", "a later header"),
    ):
        assert legal[how, what] == 0, (how, what, legal[how, what], touched[how, what])
    # how many were lost, nobody knows; how many lines there were is for the seal to say
    assert legal["altered", "Lost"] == touched["altered", "Lost"] > 0


def test_a_file_that_says_of_itself_that_it_goes_on_counts_its_lines() -> None:
    records = list(in_files(0))
    at = next(at for at, record in enumerate(records) if isinstance(record, r.Continued))
    assert judge_trace(seal(records[: at + 1])).finding is None
    for lines in (at - 1, at + 1):
        finding = judge_trace(seal([*records[:at], r.Continued(lines, "a-2")])).finding
        assert finding is not None
        assert finding.problem.startswith("the closing line counts")
    finding = judge_trace(seal([*records[: at + 1], records[at + 1]])).finding
    assert finding is not None
    assert finding.problem == "there is something after the closing line"
