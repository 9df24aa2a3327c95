import pytest

from fuzz.faults.fault import replaced
from fuzz.setups import setup_of
from fuzz.stage import Stage
from fuzz.targets.own import OWN
from fuzz.violation import Violation
from fuzz.watch import CLOSELY
from impl.allocator import Allocator


def _stage() -> Stage:
    return Stage(OWN, setup_of("toy-three"), CLOSELY)


def _given(stage: Stage, *demand: int) -> list[list[int]]:
    given = stage.allocate(demand)
    assert isinstance(given, list)
    return given


def _written(stage: Stage, band: int, ids: list[int]) -> None:
    ticket = stage.open("forward", "compute")
    assert ticket is not None
    assert stage.hold(ticket, band, ids, "write")
    stage.issue(ticket, band, ids)
    assert stage.complete(ticket)


def test_clearing_gives_up_everything_but_what_is_held() -> None:
    stage = _stage()
    _, ids, others = _given(stage, 1, 2, 3)
    stage.share(2, others)
    ticket = stage.open("copy", "host")
    assert ticket is not None
    assert stage.hold(ticket, 1, ids, "read")
    assert stage.clear()
    assert not stage.state.refs
    assert len(stage.state.held) == 2
    assert not stage.release(2, others[:1])
    stage.check_everything()


def test_a_transfer_in_quarantine_holds_and_writes_until_it_is_completed() -> None:
    stage = _stage()
    _, ids, _ = _given(stage, 0, 2, 0)
    ticket = stage.open("transfer")
    assert ticket is not None
    assert stage.hold(ticket, 1, ids, "write")
    stage.issue(ticket, 1, ids)
    assert stage.quarantine(ticket)
    assert not stage.quarantine(ticket)
    assert stage.release(1, ids)
    stage.land(ticket, 1, ids)
    assert len(stage.state.held) == 2
    assert stage.complete(ticket)
    assert not stage.state.held


def test_memory_that_was_resumed_is_written_and_read_anew() -> None:
    stage = _stage()
    _, _, ids = _given(stage, 0, 0, 2)
    _written(stage, 2, ids)
    assert not stage.release_memory()
    assert stage.clear()
    assert stage.release_memory()
    assert not stage.release_memory()
    assert stage.allocate([0, 0, 1]) is None
    assert not stage.publish("peer")
    assert stage.compact(1) is None
    assert not stage.would_fit([0, 0, 0])
    stage.check_everything()
    assert stage.resume_memory()
    assert not stage.resume_memory()
    _, _, ids = _given(stage, 0, 0, 2)
    _written(stage, 2, ids)
    stage.check_everything()
    outcomes = stage.coverage().outcomes
    assert outcomes["allocate", "rejected without memory"] == 1
    assert (outcomes["release memory", "done"], outcomes["release memory", "rejected"]) == (1, 1)


def test_memory_that_nobody_needs_must_be_given_back() -> None:
    with (
        replaced(Allocator, "release_memory", lambda _: Allocator.resume_memory),
        pytest.raises(Violation, match="which nobody needs"),
    ):
        _stage().release_memory()


def test_memory_that_somebody_needs_must_stay() -> None:
    stage = _stage()
    _, _, ids = _given(stage, 0, 0, 2)
    _written(stage, 2, ids)
    with (
        replaced(Allocator, "release_memory", lambda _: lambda self: None),
        pytest.raises(Violation, match=r"content: .* id \d+ of band 2, which is alive"),
    ):
        stage.release_memory()
