"""Tries faults of the judge on traces that were legal, until something in them was left out, exchanged or altered.

What the unmodified judge says of each is known first. A fault is caught where the judge says something else.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Final

import msgspec

from events import records as r
from fuzz.faults.fault import Fault
from fuzz.faults.trial import Trial, Verdict, trial_setups
from fuzz.seeded import live, operations_of
from fuzz.setups import Setup
from fuzz.staging import stage_for
from fuzz.targets.own import OWN
from fuzz.watch import IN_PASSING
from impl.allocator import Allocator
from impl.numbers import Int64
from impl.plan import Grant, Refusal
from impl.recording import RecordedAllocator
from spec.judge.judge import Judge, judge_records

LIVES: Final = 60
"""Traces of random calls that are touched."""

OPERATIONS: Final = (6, 10, 14)
"""In the life that a trace is of: one of them."""

TOUCHES: Final = 30
"""Of each of them."""

TOUCHES_OF_A_SCENE: Final = 150
"""Of each trace of chosen calls, in which pages move beside tickets, transfers and publishers: random calls seldom do
all of that."""

ENOUGH: Final = 5
"""Traces that show a fault, of which the shortest is kept."""

SEED: Final = 7


@dataclass(frozen=True)
class Touched:
    """A trace that was touched, and what the unmodified judge says of it.

    Attributes:
        records: of the trace.
        check: which the judge says is violated; none where it is legal all the same.
        calls: that it judges until then.
    """

    records: tuple[Any, ...]
    check: str | None
    calls: int


@cache
def touched_traces() -> tuple[Touched, ...]:
    """The same every time.

    Raises:
        AssertionError: the unmodified judge objects to a trace that nobody touched.
    """
    found = []
    scenes = [(_scene(setup), TOUCHES_OF_A_SCENE) for setup in trial_setups()]
    lives = [(_life(number), TOUCHES) for number in range(LIVES)]
    for number, (records, touches) in enumerate((*scenes, *lives)):
        rnd = Random(f"{SEED}/{number}")
        verdict = judge_records(records)
        assert verdict.finding is None, f"nobody touched it: {verdict.finding}"
        for _ in range(touches):
            others = _touch(records, rnd)
            if others is not None:
                said = judge_records(others)
                found.append(Touched(others, said.finding.check if said.finding else None, said.calls))
    return tuple(found)


def try_judge_fault(fault: Fault) -> Trial:
    """Put a fault into the judge, and see whether a touched trace shows it: the shortest of the first that do.

    The traces that break what the fault names come first, and the others only if none of these shows it.
    """
    traces = touched_traces()
    try:
        with fault.apply():
            pass
    except Exception as error:
        return Trial(fault, "invalid", problem=f"it cannot be put into force: {type(error).__name__}: {error}")
    begun = time.monotonic()
    calls = 0
    for group in (
        [trace for trace in traces if trace.check == fault.property],
        [trace for trace in traces if trace.check != fault.property],
    ):
        with fault.apply():
            shown, more, seconds = _shown(group, begun)
        calls += more
        if shown:
            shortest = _shortened(fault, min(shown, key=lambda trace: trace.calls))
            verdict: Verdict = "caught" if shortest.check == fault.property else "caught by another property"
            return Trial(fault, verdict, shortest.check, calls, seconds, shortest.calls)
    return Trial(fault, "survived", None, calls, time.monotonic() - begun)


def _shown(traces: Iterable[Touched], begun: float) -> tuple[list[Touched], int, float]:
    """The first traces of which the judge says something else now; calls and seconds until the first of them."""
    shown: list[Touched] = []
    calls, seconds = 0, 0.0
    for trace in traces:
        if not shown:
            calls += trace.calls
        if _said_now(trace.records) != trace.check:
            seconds = seconds or time.monotonic() - begun
            shown.append(trace)
            if len(shown) == ENOUGH:
                break
    return shown, calls, seconds


def _shortened(fault: Fault, shown: Touched) -> Touched:
    """The trace without the calls that it can do without."""
    length = len(shown.records) + 1
    while len(shown.records) < length:
        length = at = len(shown.records)
        while at > 2:
            begins, ends = _call_around(shown.records, at - 1)
            records = (*shown.records[:begins], *shown.records[ends:])
            if _shows(fault, records, shown.check):
                shown = Touched(records, shown.check, judge_records(records).calls)
            at = begins
    return shown


def _shows(fault: Fault, records: tuple[Any, ...], check: str | None) -> bool:
    finding = judge_records(records).finding
    if (finding.check if finding else None) != check:
        return False
    with fault.apply():
        return _said_now(records) != check


def _said_now(records: Iterable[Any]) -> str | None:
    judge = Judge()
    try:
        finding = judge_records(records, judge).finding
    except Exception as error:  # a judge that breaks has not let it pass, and says nothing of use
        return f"{type(error).__name__} at line {judge.lines}"
    return finding.check if finding else None


def _life(number: int) -> tuple[Any, ...]:
    setups = trial_setups()
    stage = stage_for(OWN, setups[number % len(setups)], IN_PASSING, keep_records=True)
    live(stage, operations_of(SEED, number, OPERATIONS))
    assert stage.records is not None, "they are kept"
    return (*stage.records, stage.allocator.snapshot())


def _scene(setup: Setup) -> tuple[Any, ...]:
    """Pages are written, published, moved, copied, sent and handed out again, in the band at the low end."""
    records: list[Any] = []
    allocator = RecordedAllocator(Allocator(setup.layout, setup.arena_bytes), records.append)
    nothing_else = [0] * (len(allocator.chain.bands) - 1)
    ids = _granted(allocator.allocate([3, *nothing_else]))
    allocator.share(0, ids)
    allocator.release(0, ids)
    forward = allocator.open("forward", "main")
    allocator.hold(forward, 0, ids, "write")
    allocator.complete(forward)
    allocator.publish("peer")
    allocator.unpublish("peer")
    allocator.release(0, ids[:1])
    assert allocator.compact(setup.arena_bytes), "a page moves into the hole"
    allocator.drain()
    transfer = allocator.open("transfer")
    allocator.hold(transfer, 0, ids[1:], "read")
    allocator.release(0, ids[1:])
    allocator.complete(transfer)
    allocator.allocate([2, *nothing_else])
    allocator.write_snapshot()
    return tuple(records)


def _granted(given: Grant | Refusal) -> Int64:
    assert isinstance(given, Grant), "the arena is empty"
    return given.ids[0]


def _touch(records: tuple[Any, ...], rnd: Random) -> tuple[Any, ...] | None:
    """The trace after something was done to it; none if that comes to nothing."""
    at = rnd.randrange(2, len(records))
    how = rnd.choice(("left out", "call left out", "call later", "call later", "call again", "exchanged", "altered"))
    if how == "left out":
        return (*records[:at], *records[at + 1 :])
    if how.startswith("call"):
        begins, ends = _call_around(records, at)
        before, call, after = records[:begins], records[begins:ends], records[ends:]
        if how == "call left out":
            return (*before, *after)
        later = _an_end(after, rnd)
        return (*before, *(call if how == "call again" else ()), *after[:later], *call, *after[later:])
    if how == "exchanged":
        if at + 1 == len(records) or records[at] == records[at + 1]:
            return None
        return (*records[:at], records[at + 1], records[at], *records[at + 2 :])
    altered = _altered(records[at], rnd)
    return None if altered is None else (*records[:at], altered, *records[at + 1 :])


def _call_around(records: tuple[Any, ...], at: int) -> tuple[int, int]:
    """Where the call begins to which a record belongs, and where it is over."""
    begins = max((place for place in range(2, at + 1) if isinstance(records[place], r.Call)), default=at)
    ends = next((place for place in range(begins, len(records)) if isinstance(records[place], r.End)), begins)
    return begins, ends + 1


def _an_end(records: tuple[Any, ...], rnd: Random) -> int:
    """A place between two calls."""
    return rnd.choice([0, *(place + 1 for place, record in enumerate(records) if isinstance(record, r.End))])


def _altered(record: Any, rnd: Random) -> Any:
    """The record with one number a little larger or smaller, or one word another; none if that is no record."""
    plain = msgspec.to_builtins(record)
    places = [(plain, place) for place, value in enumerate(plain) if place and isinstance(value, int | str)]
    places += [(value, place) for value in plain if isinstance(value, list) for place in range(len(value))]
    places = [(holder, place) for holder, place in places if isinstance(holder[place], int | str)]
    if not places:
        return None
    holder, place = rnd.choice(places)
    old = holder[place]
    if isinstance(old, int):
        holder[place] = int(old) + rnd.choice((-2, -1, 1, 2))
    else:
        holder[place] = {"read": "write", "write": "read", "forward": "transfer", "done": "refused"}.get(old, old)
    try:
        changed = msgspec.convert(plain, type(record))
    except msgspec.ValidationError:
        return None
    return None if changed == record else changed
