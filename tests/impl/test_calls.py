"""What each call promises."""

import numpy as np
import pytest
import torch

from events import records
from events.trace import seal
from impl.allocator import Allocator
from impl.device.immediate import ImmediateDevice
from impl.ledger import MOST_IDLE_STREAMS
from impl.misuse import Misuse
from impl.plan import COMPACT_ENDS, IN_PLACE, RELAYOUT, Grant, Plan, Refusal
from impl.recording import RecordedAllocator
from tests.impl.toys import filled, toy_layout

STATE, WINDOW, FULL = 0, 1, 2


@pytest.fixture
def allocator() -> Allocator:
    """Pages of 64, 48 and 32 bytes in 960 bytes."""
    return Allocator(toy_layout(("state", 64), ("window9", 48), ("full", 32)), 256 + 960)


def live(allocator: Allocator, band: int) -> dict[int, int]:
    state = allocator.snapshot().bands[band]
    return dict(zip(state.ids, state.references, strict=True))


# ------------------------------------------------------------------------------------------------- demands and pages


def test_state_grows_up_full_grows_down_and_a_float_appears_in_between(allocator: Allocator) -> None:
    filled(allocator, [2, 0, 3])
    state, window, full = allocator.snapshot().bands
    assert (state.lo, state.hi) == (0, 2)
    assert (full.lo, full.hi) == (allocator.chain.top - 3, allocator.chain.top)
    assert window.lo == window.hi
    filled(allocator, [0, 2, 0])
    window = allocator.snapshot().bands[WINDOW]
    assert window.hi - window.lo == 2
    assert 256 + 2 * 64 < window.lo * 48 < window.hi * 48 < full.lo * 32, "with room to grow on both sides"


def test_a_demand_may_name_kinds(allocator: Allocator) -> None:
    result = allocator.allocate({"full": 2, "state": 1})
    assert isinstance(result, Grant)
    assert [len(ids) for ids in result.ids] == [1, 0, 2]
    assert all(ids.dtype == np.int64 for ids in result.ids)
    assert allocator.band("full") == FULL


def test_nothing_can_be_demanded(allocator: Allocator) -> None:
    before = allocator.snapshot()
    result = allocator.allocate([0, 0, 0])
    assert isinstance(result, Grant)
    assert not any(len(ids) for ids in result.ids)
    assert allocator.snapshot() == before


def test_a_refused_demand_changes_nothing_and_says_why(allocator: Allocator) -> None:
    filled(allocator, [3, 3, 3])
    before = allocator.snapshot()
    refusal = allocator.allocate([100, 0, 0])
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "never"
    refusal = allocator.allocate([12, 0, 0])
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "evict"
    assert refusal.evict == allocator.plan([12, 0, 0]).evict  # type: ignore[union-attr]  # it is refused again
    assert allocator.snapshot() == before
    assert allocator.statistics().refusals == {"never": 1, "evict": 1}


def test_the_count_in_an_eviction_is_enough(allocator: Allocator) -> None:
    ids = filled(allocator, [3, 3, 12])
    refusal = allocator.plan([5, 0, 0])
    assert isinstance(refusal, Refusal)
    needed = refusal.evict[FULL]
    assert needed is not None
    allocator.release(FULL, ids[FULL][: needed - 1])
    assert isinstance(allocator.plan([5, 0, 0]), Refusal)
    allocator.release(FULL, ids[FULL][needed - 1 : needed])
    assert isinstance(allocator.plan([5, 0, 0]), Plan)


def test_holes_are_filled_before_a_span_grows(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 6])[FULL]
    pages = allocator.translate(FULL, ids)
    inner = ids[pages > pages.min()][:2]
    allocator.release(FULL, inner)
    before = allocator.snapshot().bands[FULL]
    again = filled(allocator, [0, 0, 2])[FULL]
    assert set(again.tolist()) == set(inner.tolist()), "ids are used again"
    assert (before.lo, before.hi) == (allocator.snapshot().bands[FULL].lo, allocator.snapshot().bands[FULL].hi)


def test_the_ends_are_compacted_when_gaps_do_not_suffice(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 28])[FULL]
    pages = allocator.translate(FULL, ids)
    order = ids[np.argsort(pages)]
    allocator.release(FULL, order[4:12])
    plan = allocator.plan([5, 0, 0])
    assert isinstance(plan, Plan)
    assert plan.step == COMPACT_ENDS
    assert 0 < plan.bytes_moved <= 4 * 32
    assert isinstance(allocator.allocate([5, 0, 0]), Grant)
    allocator.check()
    assert allocator.statistics().bytes_moved == plan.bytes_moved


def test_a_float_makes_way_for_its_neighbour(allocator: Allocator) -> None:
    filled(allocator, [2, 4, 2])
    plan = allocator.plan([8, 0, 0])
    assert isinstance(plan, Plan)
    assert plan.step == RELAYOUT
    assert [move.band for move in plan.moves] == [WINDOW]
    assert isinstance(allocator.allocate([8, 0, 0]), Grant)
    allocator.check()


def test_a_placement_hint_says_where_a_float_appears_and_limits_nothing() -> None:
    layout = toy_layout(("state", 64), ("window9", 48), ("full", 32))
    for wish in (0.0, 0.25, 1.0):
        allocator = Allocator(layout, 256 + 960, placement={"window9": wish})
        filled(allocator, [1, 1, 1])
        window = allocator.snapshot().bands[WINDOW]
        wished = 256 + wish * 960
        assert abs(window.lo * 48 - min(max(wished, 256 + 64), 256 + 960 - 32 - 48)) <= 48
        assert isinstance(allocator.plan([11, 0, 0]), Plan)
        assert isinstance(allocator.plan([0, 15, 0]), Plan)
        assert isinstance(allocator.plan([0, 0, 22]), Plan)


# -------------------------------------------------------------------------------------------------------- references


def test_the_last_reference_frees(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 3])[FULL]
    allocator.share(FULL, [ids[0], ids[0], ids[1]])
    assert live(allocator, FULL) == {ids[0]: 3, ids[1]: 2, ids[2]: 1}
    allocator.release(FULL, [ids[0], ids[0]])
    allocator.release(FULL, ids[1:])
    assert live(allocator, FULL) == {ids[0]: 1, ids[1]: 1}
    allocator.release(FULL, ids[:2])
    assert live(allocator, FULL) == {}
    state = allocator.snapshot().bands[FULL]
    assert state.lo == state.hi == allocator.chain.top


def test_releasing_more_references_than_there_are_changes_nothing(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 2])[FULL]
    allocator.share(FULL, ids[:1])
    with pytest.raises(Misuse, match="more often"):
        allocator.release(FULL, [ids[1], ids[0], ids[0], ids[0]])
    assert live(allocator, FULL) == {ids[0]: 2, ids[1]: 1}


# ----------------------------------------------------------------------------------------------------------- tickets


def test_a_held_page_is_withheld_until_its_last_holder_retires(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 2])[FULL]
    pages = allocator.translate(FULL, ids)
    first = allocator.open("forward", "main")
    second = allocator.open("copy", "side")
    assert np.array_equal(allocator.hold(first, FULL, ids, "read"), pages)
    allocator.hold(second, FULL, ids[:1], "read")
    allocator.release(FULL, ids)
    assert sorted(allocator.snapshot().bands[FULL].withheld) == sorted(pages)
    allocator.complete(first)
    assert allocator.snapshot().bands[FULL].withheld == [pages[0]]
    allocator.settle(second)
    assert allocator.snapshot().bands[FULL].withheld == []
    assert allocator.statistics().kinds[FULL].span == 0


def test_what_a_caller_does_with_the_arrays_it_got_is_its_own_affair(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 4])[FULL]
    kept = ids.copy()
    ticket = allocator.open("forward", "main")
    pages = allocator.hold(ticket, FULL, ids, "write")
    before = allocator.snapshot()
    for array in (ids, pages, allocator.translate(FULL, kept)):
        array[:] = 0
    assert allocator.snapshot() == before
    allocator.check()
    allocator.complete(ticket)
    allocator.release(FULL, kept)
    allocator.check()


def test_an_id_is_not_minted_again_while_a_ticket_knows_it(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 2])[FULL]
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, FULL, ids, "read")
    allocator.release(FULL, ids)
    limit = allocator.chain.bands[FULL].limit - allocator.chain.bands[FULL].first
    others = filled(allocator, [0, 0, limit - 2])[FULL]
    assert set(others.tolist()).isdisjoint(ids.tolist())
    assert isinstance(allocator.plan([0, 0, 1]), Refusal)
    allocator.complete(ticket)
    assert set(filled(allocator, [0, 0, 2])[FULL].tolist()) == set(ids.tolist())


def test_holding_again_keeps_the_stronger_mode(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 3])[FULL]
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, FULL, [ids[0], ids[1], ids[0]], "read")
    other = allocator.open("forward", "main")
    allocator.hold(other, FULL, ids[2:], "read")
    allocator.complete(other)
    allocator.hold(ticket, FULL, ids[1:], "write")
    allocator.hold(ticket, FULL, ids, "read")
    (state,) = allocator.snapshot().tickets
    assert {entry.id: entry.mode for entry in state.entries} == {ids[0]: "read", ids[1]: "write", ids[2]: "write"}
    assert allocator.outstanding()[0].pages == (0, 0, 3)
    allocator.check()
    allocator.complete(ticket)
    allocator.check()


def test_two_holders_of_a_page_of_which_one_writes_must_be_ordered(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 1])[FULL]
    writer = allocator.open("forward", "main")
    allocator.hold(writer, FULL, ids, "write")
    unordered = allocator.open("forward", "other")
    with pytest.raises(Misuse, match="does not run before"):
        allocator.hold(unordered, FULL, ids, "read")
    behind = allocator.open("forward", "main")
    allocator.hold(behind, FULL, ids, "write")
    waiting = allocator.open("copy", "other", [behind])
    allocator.hold(waiting, FULL, ids, "read")
    with pytest.raises(Misuse, match="does not run before"):
        allocator.hold(writer, FULL, ids, "read")
    transfer = allocator.open("transfer")
    with pytest.raises(Misuse, match="does not run before"):
        allocator.hold(transfer, FULL, ids, "read")
    for ticket in (writer, behind):
        allocator.complete(ticket)
    allocator.hold(transfer, FULL, ids, "read")


def test_order_passes_through_tickets_that_have_retired(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 1])[FULL]
    first = allocator.open("forward", "a")
    allocator.hold(first, FULL, ids, "write")
    between = allocator.open("forward", "b", [first])
    allocator.complete(between)
    last = allocator.open("forward", "b")
    allocator.hold(last, FULL, ids, "write")
    assert allocator.snapshot().tickets[1].after == [first]


def test_a_transfer_meets_nothing_that_is_queued(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 2])[FULL]
    for mode, conflicts in (("read", "write"), ("write", "read")):
        forward = allocator.open("forward", "main")
        allocator.hold(forward, FULL, ids[:1], "write" if mode == "write" else "read")
        allocator.settle(forward)
        transfer = allocator.open("transfer")
        with pytest.raises(Misuse, match="queued"):
            allocator.hold(transfer, FULL, ids[:1], conflicts)
        if mode == "read":
            allocator.hold(transfer, FULL, ids[:1], "read")
        allocator.hold(transfer, FULL, ids[1:], "write")
        allocator.drain()
        allocator.complete(transfer)
    snapshot = allocator.snapshot().bands[FULL]
    assert (snapshot.queued_read, snapshot.queued_write) == ([], [])


def test_a_transfer_meets_nothing_that_is_queued_at_its_bytes_for_a_page_of_another_band() -> None:
    allocator = Allocator(toy_layout(("state", 48), ("full", 64)), 256 + 64 * 6)
    states = filled(allocator, [8, 0])[0]
    forward = allocator.open("forward", "main")
    # the last of eight states lies where the first full page will
    allocator.hold(forward, 0, states[-1:], "read")
    allocator.settle(forward)
    allocator.release(0, states[-4:])
    near, far = filled(allocator, [0, 2])[1]
    transfer = allocator.open("transfer")
    with pytest.raises(Misuse, match="still queued, as state"):
        allocator.hold(transfer, 1, [near, far], "write")
    allocator.hold(transfer, 1, [far], "write")
    allocator.hold(transfer, 1, [near], "read")
    allocator.drain()
    allocator.hold(transfer, 1, [near], "write")


def test_only_named_tickets_are_settled_and_only_as_many_as_needed() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 6)
    ids = filled(allocator, [0, 6])[1]
    tickets = [allocator.open("forward", "main") for _ in range(3)]
    for ticket, each in zip(tickets, ids, strict=False):
        allocator.hold(ticket, 1, [each], "read")
    allocator.release(1, ids)
    refusal = allocator.plan([0, 4])
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "after-release"
    result = allocator.allocate([0, 4], [tickets[2], tickets[0], tickets[1]])
    assert isinstance(result, Grant)
    assert result.plan.settle == (tickets[2],)
    assert [held.ticket for held in allocator.outstanding()] == tickets[:2]


def test_outstanding_tickets_are_named_with_their_age(allocator: Allocator) -> None:
    ids = filled(allocator, [1, 0, 2])
    old = allocator.open("transfer")
    allocator.hold(old, STATE, ids[STATE], "read")
    allocator.hold(old, FULL, ids[FULL], "read")
    young = allocator.open("copy", "side")
    first, second = allocator.outstanding()
    assert (first.ticket, first.user, first.stream, first.pages) == (old, "transfer", None, (1, 0, 2))
    assert (second.ticket, second.user, second.stream, second.pages) == (young, "copy", "side", (0, 0, 0))
    assert first.age > second.age


# ------------------------------------------------------------------------------------------------ the gate and moving


def test_nothing_moves_while_somebody_has_published(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 28])[FULL]
    order = ids[np.argsort(allocator.translate(FULL, ids))]
    allocator.release(FULL, order[4:12])
    allocator.publish("peer")
    allocator.publish("other")
    assert allocator.compact(10**6) == 0
    refusal = allocator.plan([5, 0, 0])
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.publishers) == ("after-release", ("other", "peer"))
    allocator.unpublish("peer")
    assert isinstance(allocator.plan([5, 0, 0]), Refusal)
    allocator.unpublish("other")
    assert isinstance(allocator.plan([5, 0, 0]), Plan)


def test_compaction_keeps_to_its_budget_and_opens_the_gap(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 20])[FULL]
    order = ids[np.argsort(allocator.translate(FULL, ids))]
    allocator.release(FULL, order[3:9])
    gap = allocator.statistics().gap_bytes
    assert allocator.compact(31) == 0
    assert allocator.compact(2 * 32 + 31) == 2 * 32
    assert allocator.compact(10**6) == 32
    allocator.check()
    assert allocator.statistics().gap_bytes == gap + 6 * 32
    assert allocator.statistics().kinds[FULL].holes == 0
    assert allocator.compact(10**6) == 0


def test_a_float_is_compacted_within_its_own_band(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 9, 0])[WINDOW]
    order = ids[np.argsort(allocator.translate(WINDOW, ids))]
    pinned = allocator.open("forward", "main")
    allocator.hold(pinned, WINDOW, order[4:5], "read")
    where = allocator.translate(WINDOW, order[4:5])
    allocator.release(WINDOW, order[[2, 3, 6]])
    moved = allocator.compact(10**6)
    assert 0 < moved <= 3 * 48
    assert allocator.statistics().kinds[WINDOW].holes == 0
    assert np.array_equal(allocator.translate(WINDOW, order[4:5]), where)
    allocator.check()


def test_moves_are_on_the_page_table_and_on_the_queue(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 6])[FULL]
    order = ids[np.argsort(allocator.translate(FULL, ids))]
    view = allocator.view(allocator.chain.bands[FULL].kind.rows[0])
    view[allocator.translate(FULL, order)] = torch.arange(1.0, 7.0)[:, None]
    allocator.release(FULL, order[2:3])
    assert allocator.compact(10**6) == 32
    state = allocator.snapshot().bands[FULL]
    assert (len(state.queued_read), len(state.queued_write)) == (1, 1)
    kept = order[[0, 1, 3, 4, 5]]
    assert np.array_equal(allocator.page_table(FULL)[kept], allocator.translate(FULL, kept))
    assert view[allocator.page_table(FULL)[kept]][:, 0].tolist() == [1, 2, 4, 5, 6]


class Diary(ImmediateDevice):
    """Notes the order of what it is asked."""

    notes: list[str]

    def wait_for(self, ticket: int) -> None:
        self.notes.append(f"wait {ticket}")

    def move_pages(self, band: int, sources: np.ndarray, targets: np.ndarray) -> None:
        self.notes.append(f"move {band}")
        super().move_pages(band, sources, targets)

    def update_table(self, band: int, ids: np.ndarray, pages: np.ndarray) -> None:
        self.notes.append(f"table {band}")
        super().update_table(band, ids, pages)


def test_the_device_waits_before_it_copies_and_its_tables_are_updated_once_per_call() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 8, device=Diary)
    device = allocator.device
    assert isinstance(device, Diary)
    device.notes = []
    ids = filled(allocator, [0, 8])[1]
    order = ids[np.argsort(allocator.translate(1, ids))]
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, 1, order[:1], "read")
    allocator.release(1, order[1:4])
    device.notes.clear()
    result = allocator.allocate([2, 0], [ticket])
    assert isinstance(result, Grant)
    assert result.plan.settle == (ticket,)
    assert device.notes == [f"wait {ticket}", "move 1", "table 0", "table 1"]


def test_steps_are_written_only_when_asked_for() -> None:
    steps: list[records.Step] = []
    allocator = Allocator(toy_layout(("state", 64), ("full", 64)), 256 + 64 * 8, record=steps.append)
    ids = filled(allocator, [1, 3])
    assert [type(step).__name__ for step in steps] == ["GrewHigh", "Allocated", "GrewLow", "Allocated"]
    steps.clear()
    allocator.release(1, ids[1])
    assert steps == [records.AbsorbedLow(1, 3)]
    steps.clear()
    assert isinstance(allocator.allocate([9, 9]), Refusal)
    assert steps == [records.Refused("never")]


def test_statistics_count(allocator: Allocator) -> None:
    ids = filled(allocator, [1, 2, 3])
    allocator.release(WINDOW, ids[WINDOW][:1])
    statistics = allocator.statistics()
    assert [kind.name for kind in statistics.kinds] == ["state", "window9", "full"]
    assert [kind.live for kind in statistics.kinds] == [1, 1, 3]
    assert [(kind.allocated, kind.freed) for kind in statistics.kinds] == [(1, 0), (2, 1), (3, 0)]
    assert statistics.steps == {IN_PLACE: 1}
    assert statistics.gap_bytes == 960 - 64 - 48 - 96
    assert statistics.calls == 2


def test_writing_asks_every_page_for_a_sole_reference(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 3])[FULL]
    for shared in range(3):
        allocator.share(FULL, ids[shared : shared + 1])
        ticket = allocator.open("forward", "main")
        with pytest.raises(Misuse, match=f"ids = {ids[shared]}: is shared"):
            allocator.hold(ticket, FULL, ids, "write")
        allocator.release(FULL, ids[shared : shared + 1])


def test_tickets_to_settle_may_come_as_an_array(allocator: Allocator) -> None:
    ids = filled(allocator, [0, 0, 1])[FULL]
    tickets = [allocator.open("forward", "main") for _ in range(2)]
    allocator.hold(tickets[0], FULL, ids, "write")
    recorded = RecordedAllocator(allocator, lambda _: None)
    result = recorded.allocate([0, 0, 1], np.array(tickets), [[], [], ids])
    assert isinstance(result, Grant)
    assert result.plan.settle == (0,)
    assert isinstance(recorded.allocate([0, 0, 1], np.array([], np.int64)), Grant)


@pytest.mark.parametrize("wrong", [None, 0, 5, 1.5])
def test_what_is_no_list_of_tickets_is_rejected_on_record_and_off_it(allocator: Allocator, wrong: object) -> None:
    before = allocator.snapshot()
    for each in (allocator, RecordedAllocator(allocator, lambda _: None)):
        with pytest.raises(Misuse, match="settle"):
            each.allocate([0, 0, 1], wrong)  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(Misuse, match="waits"):
            each.open("forward", "main", wrong)  # type: ignore[arg-type]  # wrong on purpose
    assert allocator.snapshot() == before


def test_names_can_be_written_down(allocator: Allocator) -> None:
    written: list[records.AnyRecord] = []
    for each in (allocator, RecordedAllocator(allocator, written.append)):
        each.publish("é")
        with pytest.raises(Misuse, match="half of a character"):
            each.publish("\ud800")
        with pytest.raises(Misuse, match="half of a character"):
            each.open("forward", "\ud800")
        each.unpublish("é")
    assert list(seal([*written]))


def test_streams_of_which_nothing_is_outstanding_are_forgotten(allocator: Allocator) -> None:
    kept = allocator.open("forward", "kept")
    for number in range(2_000):
        allocator.complete(allocator.open("forward", f"stream {number}"))
    assert len(allocator._ledger._tails) < 300
    behind = allocator.open("forward", "kept")
    assert {ticket.ticket: ticket.after for ticket in allocator.snapshot().tickets} == {kept: [], behind: [kept]}


def test_a_stream_on_which_something_was_just_opened_is_not_among_those_that_are_forgotten() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 32)), 256 + 960)
    ids = filled(allocator, [0, 1])[1]
    for number in range(MOST_IDLE_STREAMS + 2):
        first = allocator.open("forward", f"stream {number}")
        allocator.hold(first, 1, ids, "write")
        second = allocator.open("forward", f"stream {number}")
        allocator.hold(second, 1, ids, "write")
        allocator.complete(first)
        allocator.complete(second)
