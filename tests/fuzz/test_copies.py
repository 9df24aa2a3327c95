import pytest

from fuzz import script
from fuzz.engine.engine import Engine
from fuzz.engine.kinds import KINDS
from fuzz.engine.request import Request
from fuzz.faults.all import FAULTS
from fuzz.faults.trial import try_one
from fuzz.naming import script_of
from fuzz.pasted import pasted
from fuzz.playing import play
from fuzz.reduction import reduced
from fuzz.reproduction import decoded, encoded
from fuzz.setups import setup_of
from fuzz.stage import Stage
from fuzz.targets.own import OWN
from fuzz.violation import Violation
from fuzz.watch import CLOSELY


def _stage() -> Stage:
    return Stage(OWN, setup_of("toy-four"), CLOSELY, keep_records=True)


def _given(stage: Stage, demand: list[int], *rest: list[int] | list[list[int]]) -> list[list[int]]:
    given = stage.allocate(demand, *rest)  # type: ignore[arg-type]  # what may be settled, and originals
    assert isinstance(given, list)
    return given


def _write(stage: Stage, band: int, ids: list[int]) -> int:
    ticket = stage.open("forward", "compute")
    assert ticket is not None
    assert stage.hold(ticket, band, ids, "write")
    stage.issue(ticket, band, ids)
    return ticket


def _shown(stage: Stage, band: int, vid: int) -> int:
    value: int = stage.state.bytes[band, stage.state.page_of[band, vid]]
    return value


def test_a_copy_shows_what_its_original_showed_and_later_writes_show_in_one_of_them() -> None:
    stage = _stage()
    (vid,) = _given(stage, [0, 0, 0, 1])[3]
    stage.complete(_write(stage, 3, [vid]))
    copy, other = _given(stage, [0, 0, 0, 2], [], [[], [], [], [vid]])[3]
    assert _shown(stage, 3, copy) == _shown(stage, 3, vid) != _shown(stage, 3, other)
    stage.complete(_write(stage, 3, [copy]))
    stage.check_everything()
    assert _shown(stage, 3, copy) != _shown(stage, 3, vid)
    assert stage.release(3, [vid])
    stage.check_everything()


def test_who_writes_an_original_is_settled_or_the_copy_is_a_mistake() -> None:
    stage = _stage()
    (vid,) = _given(stage, [1, 0, 0, 0])[0]
    ticket = _write(stage, 0, [vid])
    assert stage.allocate([1, 0, 0, 0], [], [[vid], [], [], []]) is None
    (copy,) = _given(stage, [1, 0, 0, 0], [ticket], [[vid], [], [], []])[0]
    assert not stage.tickets
    assert _shown(stage, 0, copy) == _shown(stage, 0, vid) > 0
    assert stage.coverage().outcomes["allocate", "copies behind their writers"] == 1


def test_a_fork_shares_its_pages_until_one_of_the_two_writes() -> None:
    stage = _stage()
    engine = Engine(stage)
    request, _ = engine.start(5, [])
    assert request is not None
    KINDS["launch"].act(engine, (0, 0, 0, 0))
    stage.complete(next(iter(stage.tickets)))
    assert KINDS["fork"].act(engine, (0, 0, 0, 0)) == "grown"
    child: Request = engine.requests[-1]
    # the state and the half-filled last pages are its own, and the full ones are not
    assert child.pages[0] != request.pages[0]
    assert child.pages[3][:2] == request.pages[3][:2]
    assert child.pages[3][2] != request.pages[3][2]
    for other in engine.requests:
        engine.grow(other, 1, [])
    assert KINDS["launch"].act(engine, (0, 1, 0, 0)) == "launched"
    stage.check_everything()


def test_copies_are_scripted_and_played_again() -> None:
    stage = _stage()
    (vid,) = _given(stage, [0, 0, 0, 1])[3]
    stage.complete(_write(stage, 3, [vid]))
    _given(stage, [0, 0, 0, 2], [], [[], [], [], [vid]])
    assert stage.allocate([0, 0, 0, 1], [], [[], [], [], [999]]) is None
    calls = script_of(stage.log)
    again = _stage()
    play(calls, again)
    assert again.records == stage.records
    assert script.names_of(calls[-1], 3) == [(script.NOT_GIVEN, 999)]
    assert script.names_of(calls[-2], 3) == [(calls[0].label, 0)]  # type: ignore[union-attr]  # it is an allocation


def test_originals_that_do_not_matter_are_left_out() -> None:
    calls = (
        script.Allocate(5, [3, 3]),
        script.Allocate(9, [2, 3], [], [[(5, 2)], [(5, 0), (5, 2)]]),
        script.Release(1, [(9, 1)]),
    )

    def fails(some: script.Script) -> bool:
        if len(some) < 3:
            return False
        first, copy, last = some
        if not (isinstance(first, script.Allocate) and isinstance(copy, script.Allocate)):
            return False
        ((_, place),) = getattr(last, "ids", [])
        originals = script.names_of(copy, 1)
        return copy.demand[1] > place < len(originals) and all(n < first.demand[1] for _, n in originals)

    assert reduced(calls, fails, 20).script == (
        script.Allocate(0, [0, 1]),
        script.Allocate(1, [0, 1], [], [[], [(0, 0)]]),
        script.Release(1, [(1, 0)]),
    )


@pytest.mark.parametrize("name", ["copies-are-not-made", "copies-share-the-page"])
def test_a_failure_with_copies_can_be_saved_and_pasted(name: str) -> None:
    failure = try_one(FAULTS[name], [setup_of("toy-state-full")], hunts=(1, 1)).failure
    assert failure is not None
    assert tuple(decoded(encoded(failure)).script) == failure.script
    assert "originals=[" in pasted(failure, OWN)
    code = compile(pasted(failure, OWN), "pasted", "exec")
    with FAULTS[name].apply(), pytest.raises((AssertionError, Violation), match=failure.property):
        exec(code, {})
    exec(code, {})
