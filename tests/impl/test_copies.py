"""New pages that begin as copies of others."""

import numpy as np
import pytest

from events import records as r
from impl.allocator import Allocator
from impl.misuse import Misuse
from impl.originals import Originals
from impl.plan import RELAYOUT, Grant, Plan, Refusal
from impl.recording import RecordedAllocator
from spec.judge.judge import judge_records
from tests.impl.toys import filled, toy_layout

STATE, WINDOW, FULL = 0, 1, 2


@pytest.fixture
def allocator() -> Allocator:
    """Pages of 64, 48 and 32 bytes in 960 bytes."""
    return Allocator(toy_layout(("state", 64), ("window9", 48), ("full", 32)), 256 + 960)


def shown(allocator: Allocator, band: int, vid: int) -> list[float]:
    view = allocator.view(allocator.chain.bands[band].kind.rows[0])
    return view[int(allocator.translate(band, [vid])[0])].tolist()


def write(allocator: Allocator, band: int, vid: int, value: float) -> None:
    view = allocator.view(allocator.chain.bands[band].kind.rows[0])
    view[int(allocator.translate(band, [vid])[0])] = value


def granted(result: Grant | Refusal) -> list[list[int]]:
    assert isinstance(result, Grant)
    return [ids.tolist() for ids in result.ids]


def test_a_copy_shows_what_its_original_shows_and_goes_its_own_way_from_then_on(allocator: Allocator) -> None:
    (first, _, _), _, (tail, other) = (ids.tolist() for ids in filled(allocator, [3, 0, 2]))
    write(allocator, STATE, first, 1.5)
    write(allocator, FULL, tail, 2.5)
    write(allocator, FULL, other, 3.5)
    (state,), _, (copy, again, fresh) = granted(allocator.allocate([1, 0, 3], originals=[[first], [], [tail, tail]]))
    assert shown(allocator, STATE, state) == [1.5] * 16
    assert shown(allocator, FULL, copy) == shown(allocator, FULL, again) == [2.5] * 8
    assert len({first, state}) == 2
    assert len({tail, other, copy, again, fresh}) == 5
    write(allocator, FULL, copy, 9.0)
    assert shown(allocator, FULL, tail) == shown(allocator, FULL, again) == [2.5] * 8
    assert allocator.references(FULL).tolist().count(tail) == 1, "a copy takes no reference"
    kinds = {kind.name: kind for kind in allocator.statistics().kinds}
    assert {name: kind.bytes_copied for name, kind in kinds.items()} == {"state": 64, "window9": 0, "full": 64}
    allocator.check()


def test_an_original_that_is_asked_for_twice_is_queued_once(allocator: Allocator) -> None:
    _, _, (tail,) = (ids.tolist() for ids in filled(allocator, [0, 0, 1]))
    page = allocator.translate(FULL, [tail]).tolist()
    granted(allocator.allocate({"full": 2}, originals={"full": [tail, tail]}))
    assert allocator.snapshot().bands[FULL].queued_read == page
    allocator.drain()
    assert allocator.snapshot().bands[FULL].queued_read == []


def test_originals_may_be_named_by_kind(allocator: Allocator) -> None:
    _, _, (tail,) = (ids.tolist() for ids in filled(allocator, [0, 0, 1]))
    write(allocator, FULL, tail, 4.0)
    _, _, (copy,) = granted(allocator.allocate({"full": 1}, originals={"full": [tail]}))
    assert shown(allocator, FULL, copy) == [4.0] * 8


def test_a_plan_says_what_would_be_copied_and_changes_nothing(allocator: Allocator) -> None:
    _, _, (tail,) = (ids.tolist() for ids in filled(allocator, [0, 0, 1]))
    before = allocator.snapshot()
    plan = allocator.plan([0, 0, 2], originals=[[], [], [tail]])
    assert isinstance(plan, Plan)
    assert [ids.tolist() for ids in plan.originals] == [[], [], [tail]]
    assert allocator.snapshot() == before
    without: tuple[Originals | None, ...] = (None, [], [[], [], []], {})
    for nothing in without:
        plan = allocator.plan([0, 0, 2], originals=nothing)
        assert isinstance(plan, Plan)
        assert not plan.originals


def test_who_still_writes_an_original_is_settled_before_it_is_copied_and_nobody_else(allocator: Allocator) -> None:
    _, _, (tail, other) = (ids.tolist() for ids in filled(allocator, [0, 0, 2]))
    bystander, writer, reader = (allocator.open("forward", stream) for stream in ("a", "b", "b"))
    allocator.hold(bystander, FULL, [other], "write")
    allocator.hold(writer, FULL, [tail], "write")
    allocator.hold(reader, FULL, [tail], "read")
    with pytest.raises(Misuse, match=f"originals = {tail}: ticket {writer} still writes it") as misuse:
        allocator.allocate([0, 0, 1], [bystander, reader], [[], [], [tail]])
    assert "complete that ticket first" in str(misuse.value)
    result = allocator.allocate([0, 0, 1], [bystander, writer, reader], [[], [], [tail]])
    assert isinstance(result, Grant)
    assert result.plan.settle == (writer,)
    assert [each.ticket for each in allocator.outstanding()] == [bystander, reader]


def test_a_transfer_that_writes_an_original_cannot_be_settled(allocator: Allocator) -> None:
    _, _, (tail,) = (ids.tolist() for ids in filled(allocator, [0, 0, 1]))
    transfer = allocator.open("transfer")
    allocator.hold(transfer, FULL, [tail], "write")
    with pytest.raises(Misuse, match="still writes it"):
        allocator.allocate([0, 0, 1], originals=[[], [], [tail]])


def test_a_transfer_may_send_a_copy_only_once_the_stream_has_caught_up(allocator: Allocator) -> None:
    _, _, (tail,) = (ids.tolist() for ids in filled(allocator, [0, 0, 1]))
    _, _, (copy,) = granted(allocator.allocate([0, 0, 1], originals=[[], [], [tail]]))
    transfer = allocator.open("transfer")
    with pytest.raises(Misuse, match="queued"):
        allocator.hold(transfer, FULL, [copy], "read")
    with pytest.raises(Misuse, match="queued"):
        allocator.hold(transfer, FULL, [tail], "write")
    allocator.drain()
    allocator.hold(transfer, FULL, [copy], "read")


def test_an_original_that_moves_to_make_room_is_copied_from_its_new_home() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("window9", 48), ("full", 32)), 256 + 960)
    state = filled(allocator, [5, 0, 0])[STATE].tolist()
    window = filled(allocator, [0, 5, 0])[WINDOW].tolist()
    for number, vid in enumerate(window):
        write(allocator, WINDOW, vid, float(number))
    allocator.release(STATE, state[:4])
    records: list[r.AnyRecord] = []
    recorded = RecordedAllocator(allocator, records.append)
    for count in range(1, 20):
        result = recorded.plan([0, 2, count], originals=[[], window[:2], []])
        if isinstance(result, Plan) and result.step == RELAYOUT and WINDOW in {move.band for move in result.moves}:
            break
    else:
        raise AssertionError("no demand makes the window move")
    _, copies, _ = granted(recorded.allocate([0, 2, count], originals=[[], window[:2], []]))
    assert [shown(allocator, WINDOW, vid) for vid in copies] == [[0.0] * 12, [1.0] * 12]
    verdict = judge_records(records)
    assert verdict.finding is None
    assert verdict.by_action["fork"] == 2
    assert verdict.by_action["move"] > 0


def test_a_refused_demand_copies_and_settles_nothing(allocator: Allocator) -> None:
    _, _, (tail,) = (ids.tolist() for ids in filled(allocator, [0, 0, 1]))
    writer = allocator.open("forward", "main")
    allocator.hold(writer, FULL, [tail], "write")
    result = allocator.allocate([0, 0, 10**6], [writer], [[], [], [tail]])
    assert isinstance(result, Refusal)
    assert result.reason == "never"
    assert [each.ticket for each in allocator.outstanding()] == [writer]


def test_copies_are_on_record_before_the_other_pages_of_their_band(allocator: Allocator) -> None:
    records: list[r.AnyRecord] = []
    recorded = RecordedAllocator(allocator, records.append)
    _, _, (tail,) = (ids.tolist() for ids in filled(recorded, [0, 0, 1]))
    del records[2:]
    recorded.allocate({"full": 2, "state": 1}, originals={"full": np.array([tail])})
    call = next(record for record in records if isinstance(record, r.Allocate))
    assert call == r.Allocate([1, 0, 2], [], [[], [], [tail]])
    named = [type(record) for record in records if isinstance(record, r.Forked | r.Allocated)]
    assert named == [r.Allocated, r.Forked, r.Allocated]
    forked = next(record for record in records if isinstance(record, r.Forked))
    assert (forked.band, forked.copied) == (FULL, [tail])


MISUSES = {
    "no list": (7, "not a sequence"),
    "an unknown kind": ({"ssm": [0]}, "no such kind"),
    "lists for too few bands": ([[0]], "1 lists for 3 bands"),
    "an original that is not alive": ([[], [], [0]], "is not alive"),
    "an original that never was": ([[], [], [10**9]], "there are ids from 0"),
    "an original that is no number": ([[], [], ["a"]], "elements of type"),
}


def test_there_are_no_more_originals_than_pages(allocator: Allocator) -> None:
    _, _, (tail,) = (ids.tolist() for ids in filled(allocator, [0, 0, 1]))
    with pytest.raises(Misuse, match="2 of kind full, and 1 pages are asked for"):
        allocator.allocate([0, 0, 1], originals=[[], [], [tail, tail]])


@pytest.mark.parametrize("name", MISUSES)
def test_wrong_originals_are_rejected_and_change_nothing(name: str, allocator: Allocator) -> None:
    originals, problem = MISUSES[name]
    filled(allocator, [0, 0, 1])
    before = allocator.snapshot()
    recorded = RecordedAllocator(allocator, lambda _: None)
    for each in (allocator, recorded):
        with pytest.raises(Misuse, match=problem) as misuse:
            each.allocate([0, 0, 1], (), originals)  # type: ignore[arg-type]  # wrong on purpose
        assert misuse.value.field == "originals"
    assert allocator.snapshot() == before
