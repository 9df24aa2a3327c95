"""Traces that were touched: without a new seal they are found by it, with one by what they say.

A touched trace under a good seal may be legal in its own right: two steps may commute, a page may lie elsewhere, a
driver may write another value.  Whether it is, the slow reading of `reference` says independently.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec

from events import records as r
from events.trace import seal
from spec.judge.judge import judge_trace
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
