"""What a report says of a failure: all calls and whom they touch, who says what, and the streams."""

from dataclasses import replace

import pytest

from bandgap.history.calls import MOST_CALLS
from bandgap.pictures import Status
from fuzz import script
from fuzz.pasted import pasted
from fuzz.targets.own import OWN
from fuzz.watch import CLOSELY, FROM_OUTSIDE, Watch
from tests.gate.forgetful import DIFFERENT, REJECTED, explained, failure_of, forgetting


def test_a_legal_call_that_is_rejected_has_the_allocators_reason_and_the_judges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    violation = explained(monkeypatch, REJECTED)
    assert violation.title == "hold: the allocator rejected a legal call as a misuse"
    (who, says), *judge = violation.sides
    assert who == "the allocator says"
    assert "ticket 0 (forward) uses this physical page and does not run before ticket 2" in says
    assert [who for who, _ in judge] == ["the judge says"] * 2
    assert judge[0][1] == (
        "ticket 0 holds page 2, where id 2 lives; "
        "ticket 2 runs after ticket 0: both are on stream 'compute', and ticket 0 was opened first"
    )
    assert "all that hold asks for is so: the ticket has not retired; " in judge[1][1]


def test_an_order_by_way_of_other_tickets_is_told_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = (
        script.Allocate(0, [1, 0]),
        script.Open(1, "forward", "compute"),
        script.Hold(1, 0, [(0, 0)], "write"),
        script.Open(2, "forward", "compute"),
        script.Open(3, "copy", "host", [2]),
        script.Hold(3, 0, [(0, 0)], "read"),
    )
    monkeypatch.setattr("impl.ledger.Ledger.runs_before", lambda *_: False)
    violation = explained(monkeypatch, calls)
    assert violation.sides[1][1].endswith(
        "ticket 2 runs after ticket 0: ticket 2 waits for ticket 1, and "
        "both are on stream 'compute', and ticket 0 was opened first"
    )


def test_of_tables_that_differ_both_are_told_by_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    violation = explained(monkeypatch, DIFFERENT)
    assert violation.title == "open: what the next ticket of a stream runs after: only the judge has [('compute', 1)]"
    assert violation.sides == (
        ("the allocator says", "what is opened next runs on 'compute' after tickets 0 and 2, on 'host' after ticket 0"),
        (
            "the judge says",
            "what is opened next runs on 'compute' after tickets 0, 1 and 2, on 'host' after ticket 0",
        ),
    )
    assert "by the allocator it is" not in violation.plainly


def test_all_calls_of_a_short_trace_are_told_with_whom_they_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    history = explained(monkeypatch, REJECTED).history
    assert history is not None
    assert [told.says for told in history.calls[1:4]] == [
        "opens ticket 0, a forward on stream 'compute'",
        "gives ticket 0 id 2 of band 'window6' to write",
        "opens ticket 1, a copy on stream 'host'",
    ]
    assert [told.touches for told in history.calls] == [
        ("page 2",),
        ("ticket 0", "stream 'compute'"),
        ("ticket 0", "page 2"),
        ("ticket 1",),
        ("ticket 2", "stream 'compute'", "ticket 1"),
        ("ticket 2", "page 2"),
    ]
    assert history.calls[0].came == ("the allocator hands out page 2 of band 'window6' as id 2",)
    assert history.calls[-1].came == ("rejected as a misuse",)


def test_the_history_of_a_rejected_call_has_the_outstanding_tickets_their_opening_and_their_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    history = explained(monkeypatch, REJECTED).history
    assert history is not None
    bears = [entry.bears for entry in history.entries]
    assert "ticket 0 is still outstanding" in bears
    assert "ticket 0 holds page 2 from here on, to write" in bears
    assert "ticket 2 waits for ticket 1" in bears
    assert [said.split(",")[0] for said in history.tickets] == ["ticket 0", "ticket 1", "ticket 2"]


def test_calls_that_touch_nothing_of_it_are_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    history = explained(monkeypatch, (script.Allocate(9, [1, 1]), script.Drain(), *DIFFERENT)).history
    assert history is not None
    assert [bool(told.touches) for told in history.calls] == [False, False, True, True, True]


@pytest.mark.parametrize(("drains", "told"), [(MOST_CALLS - 3, MOST_CALLS), (MOST_CALLS - 2, 0)])
def test_a_long_trace_is_told_by_the_lines_that_matter_alone(
    drains: int, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = explained(monkeypatch, (*[script.Drain()] * drains, *DIFFERENT)).history
    assert history is not None
    assert len(history.calls) == told
    assert len(history.entries) == 4


def test_streams_have_their_tickets_in_order_with_waits_order_and_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    history = explained(monkeypatch, REJECTED).history
    assert history is not None
    assert [(row.stream, row.ticket, row.waits, row.after, row.holds) for row in history.streams] == [
        ("compute", 0, (), (), ("page 2 of window6 to write",)),
        ("compute", 2, (1,), (0, 1), ()),
        ("host", 1, (), (), ()),
    ]
    assert all(row.concerned for row in history.streams)


def test_an_arena_that_shows_nothing_is_left_out_and_one_that_is_held_looks_so(monkeypatch: pytest.MonkeyPatch) -> None:
    violation = explained(monkeypatch, REJECTED)
    assert violation.pictures == ()
    assert violation.before is not None
    (page,) = violation.before.bands[0].pages
    assert (page.status, page.holders) == (Status.HELD, "ticket 0 to write")


def test_calls_are_told_from_what_sets_them_up(monkeypatch: pytest.MonkeyPatch) -> None:
    violation = explained(monkeypatch, REJECTED)
    assert violation.code.endswith(violation.steps)
    assert violation.steps.splitlines()[0] == "ids0 = a.allocate([1, 0]).ids"
    assert len(violation.steps.splitlines()) == violation.calls == 6
    assert max(map(len, violation.code.splitlines())) <= 100


@pytest.mark.parametrize(("watch", "name"), [(CLOSELY, "CLOSELY"), (FROM_OUTSIDE, "FROM_OUTSIDE")])
def test_a_program_says_how_closely_it_watches(watch: Watch, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forgetting(monkeypatch)
    assert f"\n# {name}: " in pasted(replace(failure_of(DIFFERENT), watch=watch), OWN)


def test_what_was_switched_off_is_no_fact_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    violation = explained(monkeypatch, DIFFERENT)
    assert violation.absent == ("clear", "fork")
    assert violation.facts == ()
