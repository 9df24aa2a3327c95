"""Transfers that failed: what they hold stays withheld until their peer is known to be gone."""

import pytest

from events.records import AnyRecord
from impl.allocator import Allocator
from impl.misuse import Misuse
from impl.plan import Grant, Refusal
from impl.recording import RecordedAllocator
from spec.judge.judge import judge_records
from tests.impl.toys import filled, toy_layout

FULL = 1


@pytest.fixture
def allocator() -> Allocator:
    """Eight pages of 64 bytes."""
    return Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 8)


def test_the_pages_of_a_failed_transfer_are_not_handed_out_until_it_is_completed(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 8])[FULL]
    transfer = allocator.open("transfer")
    sent = set(allocator.hold(transfer, FULL, ids[:3], "read").tolist())
    allocator.quarantine(transfer)
    allocator.release(FULL, ids)
    assert set(allocator.snapshot().bands[FULL].withheld) == sent
    others = filled(allocator, [0, 5])[FULL]
    assert sent.isdisjoint(allocator.translate(FULL, others).tolist())
    assert isinstance(allocator.plan([0, 1]), Refusal)
    allocator.complete(transfer)
    assert allocator.snapshot().bands[FULL].withheld == []
    assert isinstance(allocator.allocate([0, 3]), Grant)
    allocator.check()


def test_a_page_that_lives_in_quarantine_does_not_move(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 8])[FULL]
    frontier = ids[allocator.translate(FULL, ids).argmin()]
    transfer = allocator.open("transfer")
    allocator.hold(transfer, FULL, [frontier], "write")
    allocator.quarantine(transfer)
    allocator.release(FULL, [each for each in ids if each != frontier])
    assert allocator.compact(10**6) == 0
    refusal = allocator.plan([2, 0])
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.tickets) == ("after-release", (transfer,))
    allocator.complete(transfer)
    assert allocator.compact(10**6) == 64


def test_outstanding_and_statistics_name_a_quarantined_ticket(allocator: Allocator) -> None:
    ids = filled(allocator, [1, 2])
    transfer, forward = allocator.open("transfer"), allocator.open("forward", "main")
    allocator.hold(transfer, FULL, ids[FULL], "read")
    allocator.quarantine(transfer)
    first, second = allocator.outstanding()
    assert (first.ticket, first.user, first.quarantined, first.pages) == (transfer, "transfer", True, (0, 2))
    assert (second.ticket, second.quarantined) == (forward, False)
    assert first.age == 4, "the calls since: opening it, opening the other, holding, quarantine"
    statistics = allocator.statistics()
    assert (statistics.outstanding, statistics.quarantined) == (2, 1)
    allocator.complete(transfer)
    assert allocator.statistics().quarantined == 0


def test_a_refusal_names_a_quarantined_ticket_where_it_must_and_others_where_it_can(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 8])[FULL]
    failed, forward = allocator.open("transfer"), allocator.open("forward", "main")
    allocator.hold(failed, FULL, ids[:4], "read")
    allocator.hold(forward, FULL, ids[4:], "read")
    allocator.release(FULL, ids)
    before = allocator.plan([0, 4])
    assert isinstance(before, Refusal)
    assert before.tickets == (failed,), "the oldest that suffices"
    allocator.quarantine(failed)
    for demand, named in (([0, 4], (forward,)), ([0, 5], (forward, failed)), ([0, 8], (forward, failed))):
        refusal = allocator.plan(demand)
        assert isinstance(refusal, Refusal)
        assert (refusal.reason, refusal.tickets) == ("after-release", named)


@pytest.mark.parametrize("user", ["forward", "copy"])
def test_only_transfers_can_be_in_quarantine(allocator: Allocator, user: str) -> None:
    ticket = allocator.open(user, "main")  # type: ignore[arg-type]  # parameters are plain strings
    with pytest.raises(Misuse, match="only transfers"):
        allocator.quarantine(ticket)


def test_a_transfer_is_put_in_quarantine_once_and_retires_once(allocator: Allocator) -> None:
    transfer = allocator.open("transfer")
    allocator.quarantine(transfer)
    with pytest.raises(Misuse, match="already"):
        allocator.quarantine(transfer)
    with pytest.raises(Misuse, match="no stream can wait"):
        allocator.settle(transfer)
    allocator.complete(transfer)
    for call in (allocator.complete, allocator.quarantine):
        with pytest.raises(Misuse, match="has retired"):
            call(transfer)


def test_quarantine_changes_no_trace() -> None:
    traces: list[list[AnyRecord]] = [[], []]
    for trace, failing in zip(traces, (False, True), strict=True):
        layout = toy_layout(("state", 64), ("full", 64))
        recorded = RecordedAllocator(Allocator(layout, 256 + 64 * 8), trace.append)
        ids = filled(recorded, [0, 8])[FULL]
        transfer = recorded.open("transfer")
        recorded.hold(transfer, FULL, ids[:3], "read")
        if failing:
            recorded.quarantine(transfer)
        recorded.release(FULL, ids)
        recorded.write_snapshot()
        recorded.complete(transfer)
        recorded.write_snapshot()
        assert recorded.outstanding() == ()
    assert traces[0] == traces[1]
    assert judge_records(traces[1]).finding is None
