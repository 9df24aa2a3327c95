"""A long stream is judged in bounded memory: what the judge keeps depends on the arena, not on how long it lives."""

import gc
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

import pytest

from bench.stream import Stream
from events import records as r
from spec.judge.judge import Judge
from tests.spec.situation import DONE, FAILED, FULL, REFUSED, STATE, WINDOW, header, snapshot

SHARED = (type, ModuleType, FunctionType, MethodType)
"""Code, which all judges share."""


ROUNDS = 200


def kept(judge: Judge) -> int:
    """How many objects, and entries of containers, a judge keeps alive."""
    seen: set[int] = set()
    entries = 0
    waiting: list[Any] = [judge]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, SHARED):
            continue
        seen.add(id(thing))
        if isinstance(thing, dict | set | list | tuple):
            entries += len(thing)
        waiting += gc.get_referents(thing)
    return len(seen) + entries


def take(judge: Judge, *records: Any) -> None:
    for record in records:
        assert judge.take(record) is None


def serving() -> Iterator[tuple[Any, ...]]:
    """Cycles of a serving engine, in which every request has new ids."""
    stream = Stream(pages=0, tickets=4)
    yield (stream.header, stream.snapshot())
    while True:
        stream.cycle()
        yield tuple(stream.taken())


def from_situation(*records: Any) -> Iterator[tuple[Any, ...]]:
    yield (header(), snapshot(), *records)


def streams_of_their_own() -> Iterator[tuple[Any, ...]]:
    yield from from_situation()
    for number in range(6, 10**9):
        yield (
            r.Open(number, "forward", f"stream {number}"),
            DONE,
            r.Hold(number, WINDOW, "read", [5]),
            DONE,
            r.Complete(number),
            DONE,
        )


def publishers_of_their_own() -> Iterator[tuple[Any, ...]]:
    yield from from_situation()
    for number in range(10**9):
        yield (r.Publish(f"peer {number}"), DONE, r.Unpublish(f"peer {number}"), DONE)


def one_endless_call() -> Iterator[tuple[Any, ...]]:
    yield from from_situation(r.Unpublish("rdma"), DONE, r.Compact(10**9))
    while True:
        yield (
            r.GrewHigh(WINDOW, 3),
            r.Moved(FULL, [49], [47]),
            r.AbsorbedHigh(WINDOW, 3),
            r.Moved(FULL, [47], [49]),
        )


def ids_of_their_own() -> Iterator[tuple[Any, ...]]:
    yield from from_situation()
    for number in range(100, 10**9):
        yield (
            r.Allocate([0, 1, 0]),
            r.Allocated(WINDOW, [21], [number]),
            r.End(ids=[[], [number], []]),
            r.Open(number, "copy", "host"),
            DONE,
            r.Hold(number, WINDOW, "write", [number]),
            DONE,
            r.Issue(number, WINDOW, [21], [number]),
            DONE,
            r.Release(WINDOW, [number]),
            DONE,
            # the id is dead, and a write for it still lands
            r.Issue(number, WINDOW, [21], [number + 1]),
            DONE,
            r.Settle(number),
            DONE,
        )


def misuses_and_refusals() -> Iterator[tuple[Any, ...]]:
    yield from from_situation()
    for number in range(100, 10**9):
        yield (
            r.Complete(number),
            FAILED,
            r.Hold(3, STATE, "read", [number]),
            FAILED,
            r.Allocate([number, 0, 0]),
            r.Refused("never"),
            REFUSED,
            snapshot(),
        )


@pytest.mark.parametrize(
    "source",
    [
        serving,
        streams_of_their_own,
        publishers_of_their_own,
        one_endless_call,
        ids_of_their_own,
        misuses_and_refusals,
    ],
    ids=lambda source: source.__name__,
)
def test_what_is_kept_does_not_grow(source: Callable[[], Iterator[tuple[Any, ...]]]) -> None:
    judge = Judge()
    rounds = source()
    sizes = []
    for _ in range(4):
        for _ in range(ROUNDS):
            take(judge, *next(rounds))
        sizes.append(kept(judge))
    assert judge.lines > 4 * ROUNDS
    # the rounds are alike, and by now they have been to every page: what is new since then is what they leave behind
    assert sizes[3] - sizes[2] < ROUNDS / 4, sizes


def test_a_leak_would_show() -> None:
    judge = Judge()
    rounds = ids_of_their_own()
    take(judge, *next(rounds))
    before = kept(judge)
    assert judge.state is not None
    for number in range(60):
        take(judge, *next(rounds))
        judge.state.page_of[WINDOW, 1_000 + number] = 21
    assert kept(judge) - before > 60
    assert judge.state.refs[FULL, 1] == 1
