"""What a recorded allocator writes, and in which order."""

import io

import numpy as np
import pytest

from events import records as r
from events.trace import Writer, unseal
from impl.allocator import Allocator
from impl.misuse import Misuse
from impl.plan import Grant
from impl.recording import RecordedAllocator
from tests.impl.toys import toy_layout


@pytest.fixture
def trace() -> list[r.AnyRecord]:
    return []


@pytest.fixture
def recorded(trace: list[r.AnyRecord]) -> RecordedAllocator:
    return RecordedAllocator(Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 8), trace.append)


def test_a_trace_begins_with_header_and_snapshot(recorded: RecordedAllocator, trace: list[r.AnyRecord]) -> None:
    header, snapshot = trace
    assert isinstance(header, r.Header)
    assert header.bands == [r.Band("state", 64, 256, 1), r.Band("full", 64, 0, 1)]
    assert (header.version, header.base, header.capacity) == (r.VERSION, 256, 768)
    assert (header.bottom, header.top) == (0, 12)
    assert snapshot == recorded.snapshot()


def test_a_call_comes_before_its_steps_and_its_end_after(recorded: RecordedAllocator, trace: list[r.AnyRecord]) -> None:
    del trace[:]
    grant = recorded.allocate({"full": 2})
    assert isinstance(grant, Grant)
    ids = grant.ids[1]
    assert trace == [
        r.Allocate([0, 2], []),
        r.GrewLow(1, 2),
        r.Allocated(1, [11, 10], ids.tolist()),
        r.End("done", [[], ids.tolist()]),
    ]
    del trace[:]
    ticket = recorded.open("forward", "main")
    pages = recorded.hold(ticket, 1, ids, "write")
    recorded.issue(ticket, 1, pages, [5, 6])
    recorded.land(1, pages)
    recorded.release(1, np.array(ids))
    recorded.settle(ticket)
    recorded.drain()
    assert trace == [
        r.Open(ticket, "forward", "main", []),
        r.End(),
        r.Hold(ticket, 1, "write", ids.tolist()),
        r.End(),
        r.Issue(ticket, 1, [11, 10], [5, 6]),
        r.End(),
        r.Land(1, [11, 10]),
        r.End(),
        r.Release(1, ids.tolist()),
        r.End(),
        r.Settle(ticket),
        r.AbsorbedLow(1, 2),
        r.End(),
        r.Drain(),
        r.End(),
    ]


def test_a_refusal_and_a_misuse_are_told_apart(recorded: RecordedAllocator, trace: list[r.AnyRecord]) -> None:
    del trace[:]
    recorded.allocate([5, 5])
    with pytest.raises(Misuse):
        recorded.release(1, [1])
    with pytest.raises(Misuse):
        recorded.complete(4)
    assert trace == [
        r.Allocate([5, 5], []),
        r.Refused("never"),
        r.End("refused"),
        r.Release(1, [1]),
        r.End("failed"),
        r.Complete(4),
        r.End("failed"),
    ]


def test_a_call_that_no_record_can_hold_is_rejected_all_the_same(
    recorded: RecordedAllocator, trace: list[r.AnyRecord]
) -> None:
    del trace[:]
    for wrong in (
        lambda: recorded.allocate([-1, 0]),
        lambda: recorded.allocate({"fall": 1}),
        lambda: recorded.share(1, ["1"]),
        lambda: recorded.share(-1, [1]),
        lambda: recorded.open("backward", "main"),  # type: ignore[arg-type]  # that is the misuse
        lambda: recorded.hold(0, 1, [1], "execute"),  # type: ignore[arg-type]  # likewise
        lambda: recorded.compact(-5),
        lambda: recorded.publish(3),  # type: ignore[arg-type]  # likewise
    ):
        with pytest.raises(Misuse):
            wrong()
    assert trace == []


def test_everything_written_can_be_read_back() -> None:
    file = io.BytesIO()
    writer = Writer(file)
    recorded = RecordedAllocator(Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 8), writer)
    grant = recorded.allocate([1, 3])
    assert isinstance(grant, Grant)
    recorded.publish("peer")
    ticket = recorded.open("transfer")
    recorded.hold(ticket, 1, grant.ids[1], "read")
    recorded.release(1, grant.ids[1])
    recorded.unpublish("peer")
    recorded.compact(1000)
    recorded.write_snapshot()
    writer.close()
    lines = file.getvalue().splitlines(keepends=True)
    read = list(unseal(lines))
    assert len(read) == len(lines)
    assert read[-2] == recorded.snapshot()
