import pytest

from fuzz.faults.fault import replaced
from fuzz.malformed import CASES
from fuzz.setups import setup_of
from fuzz.stage import Stage
from fuzz.targets.own import OWN
from fuzz.violation import Violation
from fuzz.watch import CLOSELY
from impl.allocator import Allocator
from impl.plan import Refusal


def _stage() -> Stage:
    return Stage(OWN, setup_of("toy-three"), CLOSELY)


def _given(stage: Stage, *demand: int) -> list[list[int]]:
    given = stage.allocate(demand)
    assert isinstance(given, list)
    return given


def test_writes_land_later_and_a_later_one_takes_their_place() -> None:
    stage = _stage()
    (_, (vid,), _) = _given(stage, 0, 1, 0)
    first, second = (stage.open("forward", "compute") for _ in range(2))
    assert first is not None
    assert second is not None
    for ticket in (first, second):
        assert stage.hold(ticket, 1, [vid], "write")
        stage.issue(ticket, 1, [vid])
    assert [flight[0] for flight in stage.flights.values()] == [second]
    assert stage.complete(first)
    assert stage.complete(second)
    assert not stage.flights
    stage.check_everything()


def test_a_ticket_writes_only_what_it_was_given_to_write() -> None:
    stage = _stage()
    (_, ids, _) = _given(stage, 0, 2, 0)
    ticket = stage.open("forward", "compute")
    assert ticket is not None
    assert stage.hold(ticket, 1, ids, "read")
    stage.issue(ticket, 1, ids)
    stage.land(ticket, 1, ids)
    assert not stage.flights
    assert stage.coverage().outcomes["issue", "done"] == 0


def test_settling_lands_what_is_in_flight() -> None:
    stage = _stage()
    (_, ids, _) = _given(stage, 0, 3, 0)
    ticket = stage.open("forward", "compute")
    assert ticket is not None
    assert stage.hold(ticket, 1, ids, "write")
    stage.issue(ticket, 1, ids)
    assert stage.settle(ticket)
    assert not stage.flights


def test_mistakes_are_rejected_and_change_nothing() -> None:
    stage = _stage()
    ((vid, other), _, _) = _given(stage, 2, 0, 0)
    before = stage.allocator.snapshot()
    assert not stage.release(0, [vid, vid])
    assert not stage.share(0, [10_000])
    assert not stage.complete(0)
    assert not stage.settle(5)
    assert not stage.unpublish("nobody")
    assert stage.open("transfer", "compute") is None
    assert stage.allocate([1]) is None
    assert stage.allocator.snapshot() == before
    assert len(stage.rejected) == 7
    assert stage.release(0, [vid, other])


@pytest.mark.parametrize("case", CASES)
def test_malformed_calls_are_rejected(case: str) -> None:
    stage = _stage()
    stage.malformed(case)
    assert stage.coverage().outcomes["malformed", "rejected"] == 1


def test_a_malformed_call_that_is_taken_is_a_violation() -> None:
    with (
        replaced(Allocator, "compact", lambda _: lambda self, budget: 0),
        pytest.raises(Violation, match="took a call that no record can hold"),
    ):
        _stage().malformed("compact: a negative budget")


def test_a_call_that_breaks_down_is_a_crash() -> None:
    with (
        replaced(Allocator, "drain", lambda _: lambda self: 1 // 0),
        pytest.raises(Violation, match="crash: drain raised ZeroDivisionError"),
    ):
        _stage().drain()


def test_a_legal_call_that_is_rejected_is_a_violation() -> None:
    stage = _stage()
    with (
        replaced(Allocator, "publish", lambda publish: lambda self, who: publish(self, 3)),
        pytest.raises(Violation, match=r"agreement: .*rejected a legal call"),
    ):
        stage.publish("peer")


def test_refusals_come_with_their_reason() -> None:
    refusal = _stage().allocate([0, 0, 1 << 40])
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "never"
