"""Giving up everything at once, and giving the arena's bytes back and taking them again."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch

from events.records import AnyRecord
from impl.allocator import Allocator
from impl.device.immediate import ImmediateDevice
from impl.device.metadata import MetadataDevice
from impl.misuse import Misuse
from impl.recording import RecordedAllocator
from spec.judge.judge import Judge, judge_records
from tests.impl.toys import Driver, filled, random_layout, toy_layout

STATE, WINDOW, FULL = 0, 1, 2


@pytest.fixture
def allocator() -> Allocator:
    """Pages of 64, 48 and 32 bytes in 960 bytes."""
    return Allocator(toy_layout(("state", 64), ("window9", 48), ("full", 32)), 256 + 960)


# ------------------------------------------------------------------------------------------------------------ clearing


def test_clearing_gives_up_every_reference(allocator: Allocator) -> None:
    ids = filled(allocator, [3, 4, 5])
    allocator.share(FULL, [ids[FULL][0], ids[FULL][0], ids[FULL][3]])
    assert sorted(allocator.references(FULL).tolist()) == sorted([*ids[FULL], *ids[FULL][[0, 0, 3]]])
    allocator.clear()
    statistics = allocator.statistics()
    assert all(kind.span == kind.live == 0 for kind in statistics.kinds)
    assert [kind.freed for kind in statistics.kinds] == [3, 4, 5]
    assert all(allocator.references(band).size == 0 for band in range(3))
    for band in range(3):
        with pytest.raises(Misuse, match="not alive"):
            allocator.release(band, ids[band][:1])
    allocator.check()
    allocator.clear()
    assert [kind.live for kind in allocator.statistics().kinds] == [0, 0, 0]


def test_outstanding_tickets_keep_what_they_hold(allocator: Allocator) -> None:
    ids = filled(allocator, [1, 2, 6])
    forward, transfer = allocator.open("forward", "main"), allocator.open("transfer")
    held = sorted(allocator.hold(forward, FULL, ids[FULL][2:4], "read").tolist())
    allocator.hold(transfer, WINDOW, ids[WINDOW], "read")
    allocator.clear()
    state = allocator.snapshot()
    assert [len(band.withheld) for band in state.bands] == [0, 2, 2]
    assert sorted(state.bands[FULL].withheld) == held
    allocator.check()
    for ticket in (forward, transfer):
        allocator.complete(ticket)
    assert all(kind.span == 0 for kind in allocator.statistics().kinds)


def test_a_clearing_is_on_record_as_releases() -> None:
    trace: list[AnyRecord] = []
    layout = toy_layout(("state", 64), ("window9", 48), ("full", 32))
    recorded, plain = RecordedAllocator(Allocator(layout, 256 + 960), trace.append), Allocator(layout, 256 + 960)
    for allocator in (recorded, plain):
        ids = filled(allocator, [3, 0, 5])
        allocator.share(FULL, ids[FULL][:2])
        ticket = allocator.open("copy", "side")
        allocator.hold(ticket, STATE, ids[STATE][1:], "read")
        allocator.clear()
        filled(allocator, [1, 1, 1])
    recorded.write_snapshot()
    assert judge_records(trace).finding is None
    assert [type(record).__name__ for record in trace].count("Release") == 2, "one for each band that has live pages"
    assert recorded.snapshot() == plain.snapshot()
    assert recorded.statistics() == plain.statistics()


def test_a_reference_that_was_forgotten_shows_in_the_trace() -> None:
    trace: list[AnyRecord] = []
    recorded = RecordedAllocator(Allocator(toy_layout(("state", 64), ("full", 32)), 256 + 960), trace.append)
    ids = filled(recorded, [0, 4])[1]
    recorded.share(1, ids[:1])
    recorded.allocator._bands[1].ids.references[ids[0]] = 1
    recorded.clear()
    recorded.write_snapshot()
    finding = judge_records(trace).finding
    assert finding is not None
    assert finding.check == "outside-is-free", "a span retreated past a page that is alive by the trace"


# ------------------------------------------------------------------------------------------ giving memory back


def test_the_bytes_are_given_back_and_the_sink_is_zero_again(allocator: Allocator) -> None:
    device = allocator.device
    assert isinstance(device, ImmediateDevice)
    row = allocator.chain.bands[FULL].kind.rows[0]
    old = allocator.view(row)
    old[0] = 7.0
    ids = filled(allocator, [1, 1, 1])
    allocator.clear()
    assert allocator.has_memory
    allocator.release_memory()
    assert not allocator.has_memory
    assert device.arena.nbytes == 0
    assert allocator.translate(FULL, []).size == 0
    allocator.resume_memory()
    assert allocator.has_memory
    new = allocator.view(row)
    assert new.data_ptr() != old.data_ptr(), "views must be taken anew"
    assert not device.arena[: allocator.chain.base].any()
    again = filled(allocator, [1, 1, 1])
    assert [each.tolist() for each in again] == [each.tolist() for each in ids], "ids go on as if nothing had been"
    new[allocator.translate(FULL, again[FULL])] = 3.0
    assert torch.equal(allocator.view(row)[allocator.page_table(FULL)[again[FULL]]], torch.full((1, 8), 3.0))


def test_pages_move_in_the_new_bytes(allocator: Allocator) -> None:
    allocator.release_memory()
    allocator.resume_memory()
    ids = filled(allocator, [0, 0, 6])[FULL]
    view = allocator.view(allocator.chain.bands[FULL].kind.rows[0])
    pages = allocator.translate(FULL, ids)
    view[pages] = torch.arange(6.0)[:, None]
    inner = int(pages.argsort()[3])
    allocator.release(FULL, ids[[inner]])
    assert allocator.compact(1000) == 32
    kept = [number for number in range(6) if number != inner]
    assert view[allocator.translate(FULL, ids[kept])][:, 0].tolist() == kept


IN_THE_WAY: dict[str, tuple[str, Callable[[Allocator], object], str]] = {
    "a live page": ("pages", lambda a: a.allocate([0, 0, 2]), "full"),
    "a ticket": ("tickets", lambda a: a.open("transfer"), "0"),
    "a publisher": ("publishers", lambda a: a.publish("peer"), "peer"),
    "queued work": ("queued", lambda a: _settled(a), "window9"),
    "memory that is gone": ("memory", lambda a: a.release_memory(), "released"),
}


def _settled(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 1, 0])[WINDOW]
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, WINDOW, ids, "write")
    allocator.settle(ticket)
    allocator.release(WINDOW, ids)


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_what_needs_the_bytes_is_in_the_way_and_named(allocator: Allocator, what: str) -> None:
    field, make, named = IN_THE_WAY[what]
    make(allocator)
    before = allocator.statistics()
    with pytest.raises(Misuse, match=named) as caught:
        allocator.release_memory()
    assert caught.value.field == field
    assert allocator.statistics() == before


def test_a_withheld_page_is_in_the_way_with_its_ticket(allocator: Allocator) -> None:
    ids = filled(allocator, [1, 0, 0])[STATE]
    ticket = allocator.open("transfer")
    allocator.hold(ticket, STATE, ids, "read")
    allocator.quarantine(ticket)
    allocator.clear()
    with pytest.raises(Misuse, match="outstanding"):
        allocator.release_memory()
    allocator.complete(ticket)
    allocator.release_memory()


NEEDS_BYTES: dict[str, Callable[[Any], object]] = {
    "allocate": lambda a: a.allocate([0, 0, 1]),
    "allocate nothing": lambda a: a.allocate([0, 0, 0]),
    "plan": lambda a: a.plan([0, 0, 1]),
    "hold nothing": lambda a: a.hold(0, FULL, [], "read"),
    "publish": lambda a: a.publish("peer"),
    "compact": lambda a: a.compact(1000),
    "view": lambda a: a.view(a.chain.bands[FULL].kind.rows[0]),
}


@pytest.mark.parametrize("what", NEEDS_BYTES)
@pytest.mark.parametrize("on_record", [False, True])
def test_calls_that_need_bytes_are_rejected_while_there_are_none(
    allocator: Allocator, what: str, on_record: bool
) -> None:
    judge = Judge()
    driven = RecordedAllocator(allocator, lambda record: _legal(judge, record)) if on_record else allocator
    driven.release_memory()
    driven.open("forward", "main")
    before = allocator.statistics()
    with pytest.raises(Misuse, match="no bytes") as caught:
        NEEDS_BYTES[what](driven)
    assert caught.value.remedy == "call `resume_memory` first"
    assert allocator.statistics() == before
    driven.resume_memory()
    filled(driven, [0, 0, 1])
    NEEDS_BYTES[what](driven)


def _legal(judge: Judge, record: AnyRecord) -> None:
    assert judge.take(record) is None


def test_memory_that_is_there_cannot_be_resumed(allocator: Allocator) -> None:
    with pytest.raises(Misuse, match="were not given back"):
        allocator.resume_memory()
    allocator.release_memory()
    allocator.resume_memory()
    with pytest.raises(Misuse, match="were not given back"):
        allocator.resume_memory()


def test_a_device_without_memory_has_nothing_to_give_back() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 32)), 10**6, device=MetadataDevice)
    allocator.release_memory()
    with pytest.raises(Misuse):
        allocator.allocate([1, 1])
    allocator.resume_memory()
    filled(allocator, [1, 1])


@pytest.mark.parametrize("seed", range(6))
def test_long_runs_with_clearings_and_renewed_memory_are_legal(seed: int) -> None:
    rnd = Random(seed)
    layout = random_layout(rnd, 2 + seed % 3)
    sizes = [kind.page_bytes for kind in layout.kinds]
    judge = Judge()
    allocator = Allocator(layout, 256 + 3 * max(sizes) + sum(rnd.randint(2, 9) * size for size in sizes))
    driver = Driver(RecordedAllocator(allocator, lambda record: _legal(judge, record)), rnd)
    for number in range(300):
        driver.step()
        if number % 40 == 39:
            driver.clear()
        if number % 60 == 59:
            driver.renew_memory()
        allocator.check()
        driver.allocator.write_snapshot()  # type: ignore[union-attr]  # it is the recorded one
    driver.finish()
