"""A trace written beside the serving: what is written is what happened, and what is missing is told."""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from events import records as r
from events.files import created, numbered
from events.trace import unseal
from impl.allocator import Allocator
from impl.misuse import Misuse
from impl.recording import RecordedAllocator
from impl.trace_file import TraceFile
from spec.judge.judge import Judge, judge_records
from tests.impl.toys import Driver, random_layout

NEVER = 3600.0


def driven(trace: Any, seed: int = 5, calls: int = 60) -> RecordedAllocator:
    """An allocator on record, after some calls; the same seed makes the same calls."""
    rnd = Random(seed)
    allocator = RecordedAllocator(Allocator(random_layout(rnd, 3), 4_000), trace)
    driver = Driver(allocator, rnd)
    for _ in range(calls):
        driver.step()
    return allocator


def at_once(seed: int = 5, calls: int = 60) -> list[Any]:
    """The records of these calls, made as they happen."""
    records: list[Any] = []
    driven(records.append, seed, calls)
    return records


def read(path: Path) -> list[Any]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return list(unseal(io.BytesIO(data)))


def files_of(path: Path) -> Iterator[list[Any]]:
    """The records of each file of a trace."""
    number = 0
    while True:
        number += 1
        records = read(numbered(path, number))
        yield records
        if isinstance(records[-1], r.Close):
            return
        assert records[-1].file == numbered(path, number + 1).name


@pytest.mark.parametrize("name", ["a.trace", "a.trace.gz"])
def test_what_is_written_later_is_what_would_have_been_written_at_once(tmp_path: Path, name: str) -> None:
    with TraceFile(tmp_path / name) as trace:
        driven(trace)
    expected = at_once()
    assert read(tmp_path / name) == [*expected, r.Close(len(expected))]
    assert {type(record) for record in expected} >= {r.Allocate, r.Allocated, r.Hold, r.End, r.Release}
    assert trace.lost == 0


def test_arrays_that_a_caller_writes_into_afterwards_are_on_record_as_they_were(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "a.trace", every=NEVER) as trace:
        allocator = driven(trace, calls=0)
        grant = allocator.allocate([1, 1, 1])
        ids = grant.ids[0].copy()  # type: ignore[union-attr]  # the arena is empty
        allocator.share(0, ids)
        expected = ids.tolist()
        ids[:] = 7
        grant.ids[0][:] = 7  # type: ignore[union-attr]  # likewise
    records = read(tmp_path / "a.trace")
    assert [record.ids for record in records if isinstance(record, r.Share)] == [expected]
    assert next(record for record in records if isinstance(record, r.End)).ids[0] == expected


@pytest.mark.parametrize("limit", [{"rotate_bytes": 1_500}, {"rotate_records": 20}])
def test_each_file_of_a_row_can_be_judged_by_itself_and_all_as_one(tmp_path: Path, limit: dict[str, int]) -> None:
    with TraceFile(tmp_path / "a.trace", every=0.0005, **limit) as trace:
        allocator = driven(trace, calls=0)
        driver = Driver(allocator, Random(1))
        for _ in range(120):
            driver.step()
            # as slowly as the writer needs
            while trace._drafts or trace._asked != trace.wants_snapshot:
                Event().wait(0.0005)
    files = list(files_of(tmp_path / "a.trace"))
    assert len(files) >= 4
    together = Judge()
    for records in files:
        assert isinstance(records[0], r.Header)
        assert isinstance(records[1], r.Snapshot)
        assert judge_records(records).finding is None
        assert judge_records(records, together).finding is None
    expected = [record for record in at_once_with(Random(1), 120) if not isinstance(record, r.Header | r.Snapshot)]
    frame = r.Header | r.Snapshot | r.Close | r.Continued
    assert [record for records in files for record in records if not isinstance(record, frame)] == expected
    assert together.lost == 0


def at_once_with(rnd: Random, calls: int) -> list[Any]:
    records: list[Any] = []
    driver = Driver(driven(records.append, calls=0), rnd)
    for _ in range(calls):
        driver.step()
    return records


def test_what_has_no_room_is_counted_and_the_trace_goes_on_from_a_snapshot(tmp_path: Path) -> None:
    trace = TraceFile(tmp_path / "a.trace", every=NEVER, most_waiting=600)
    allocator = driven(trace, calls=0)
    driver = Driver(allocator, Random(1))
    for _ in range(60):
        driver.step()
    lost = trace.lost
    assert lost > 50
    # the writer finds the time again
    trace._write_waiting()
    assert trace.wants_snapshot
    for _ in range(5):
        driver.step()
    trace.close()
    assert trace.lost >= lost
    records = read(tmp_path / "a.trace")
    missing = [record.records for record in records if isinstance(record, r.Lost)]
    assert sum(missing) == trace.lost
    first = next(at for at, record in enumerate(records) if isinstance(record, r.Lost))
    assert isinstance(records[first + 1], r.Snapshot)
    assert any(isinstance(record, r.End) for record in records[first + 2 :])
    verdict = judge_records(records)
    assert (verdict.finding, verdict.lost) == (None, trace.lost)


@pytest.mark.parametrize("arrives", ["by itself", "because its ticket is settled", "because a demand settles it"])
def test_no_file_begins_while_a_write_is_in_flight(arrives: str, tmp_path: Path) -> None:
    trace = TraceFile(tmp_path / "a.trace", rotate_records=3, every=NEVER)
    allocator = driven(trace, calls=0)
    ids = allocator.allocate([2, 0, 0]).ids[0]  # type: ignore[union-attr]  # the arena is empty
    ticket = allocator.open("forward", "main")
    pages = allocator.hold(ticket, 0, ids, "write")
    allocator.issue(ticket, 0, pages, [1, 2])
    trace._write_waiting()
    assert trace.wants_snapshot
    allocator.drain()
    allocator.land(0, pages[:1])
    allocator.drain()
    allocator.allocate([1, 0, 0])
    assert trace.wants_snapshot
    if arrives == "by itself":
        allocator.land(0, pages[1:])
        allocator.drain()
    elif arrives == "because its ticket is settled":
        allocator.settle(ticket)
    else:
        # a copy of what the ticket writes
        allocator.allocate([1, 0, 0], [ticket], [ids[:1], [], []])
    assert not trace.wants_snapshot
    trace.close()
    for records in files_of(tmp_path / "a.trace"):
        assert judge_records(records).finding is None


def test_no_file_begins_because_a_transfer_could_not_be_settled(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "a.trace", rotate_records=3, every=NEVER) as trace:
        allocator = driven(trace, calls=0)
        ids = allocator.allocate([1, 0, 0]).ids[0]  # type: ignore[union-attr]  # the arena is empty
        ticket = allocator.open("transfer")
        allocator.issue(ticket, 0, allocator.hold(ticket, 0, ids, "write"), [1])
        trace._write_waiting()
        with pytest.raises(Misuse):
            allocator.settle(ticket)
        allocator.drain()
        assert trace.wants_snapshot
        allocator.land(0, allocator.translate(0, ids))
        allocator.drain()
        assert not trace.wants_snapshot


def test_what_was_lost_before_the_end_is_told(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "a.trace", every=NEVER, most_waiting=300) as trace:
        driven(trace)
    records = read(tmp_path / "a.trace")
    assert records[-2:] == [r.Lost(trace.lost), r.Close(len(records) - 1)]
    assert judge_records(records).lost == trace.lost > 0


def test_a_call_that_no_record_can_hold_is_rejected_and_not_on_record(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "a.trace") as trace:
        allocator = driven(trace, calls=0)
        with pytest.raises(Misuse):
            allocator.share(0, ["1"])
        with pytest.raises(Misuse):
            allocator.hold(0, 0, [1], "execute")  # type: ignore[arg-type]  # that is the misuse
    assert len(read(tmp_path / "a.trace")) == 3


def test_serving_goes_on_where_the_trace_cannot_be_written_and_closing_says_so(tmp_path: Path) -> None:
    trace = TraceFile(tmp_path / "a.trace", rotate_records=5, every=NEVER)
    allocator = driven(trace, calls=30)
    # where the next file belongs there is a folder
    (tmp_path / "a-2.trace").mkdir()
    trace._write_waiting()
    assert trace.wants_snapshot
    driver = Driver(allocator, Random(2))
    for _ in range(30):
        driver.step()
    with pytest.raises(IsADirectoryError):
        trace.close()
    assert trace.lost == 0
    for _ in range(10):
        driver.step()
    assert trace.lost > 0
    assert not isinstance(list(unseal((tmp_path / "a.trace").open("rb"), whole=False))[-1], r.Close)


def test_files_in_a_row_are_numbered() -> None:
    assert numbered(Path("x/a.trace"), 1) == Path("x/a.trace")
    assert numbered(Path("x/a.trace"), 2) == Path("x/a-2.trace")
    assert numbered(Path("x/a.b.trace.gz"), 12) == Path("x/a.b-12.trace.gz")
    assert numbered(Path("x/a"), 3) == Path("x/a-3")


def test_a_name_that_promises_another_compression_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not as \.zst"):
        created(tmp_path / "a.trace.zst")
    assert not list(tmp_path.iterdir())
    for limit in ({"rotate_bytes": 0}, {"rotate_records": -1}):
        with pytest.raises(ValueError, match="no file is that short"):
            TraceFile(tmp_path / "a.trace", **limit)


def test_the_same_compressed_trace_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.trace.gz", "b.trace.gz"):
        with created(tmp_path / name) as file:
            file.write(b"the same")
    assert (tmp_path / "a.trace.gz").read_bytes() == (tmp_path / "b.trace.gz").read_bytes()
