from fuzz import script
from fuzz.reduction import reduced


def _kinds(calls: script.Script) -> list[str]:
    return [type(call).__name__ for call in calls]


def _noise() -> list[script.AnyCall]:
    calls: list[script.AnyCall] = []
    for label in range(20):
        calls.append(script.Allocate(label, [3, 5]))
        calls.append(script.Release(0, [(label, 0), (label, 1)]))
        calls.append(script.Drain())
    return calls


def test_only_what_matters_is_left() -> None:
    calls = (*_noise(), script.Publish("a"), *_noise(), script.Compact(7))
    result = reduced(calls, lambda some: {"Publish", "Compact"} <= set(_kinds(some)), 20)
    assert _kinds(result.script) == ["Publish", "Compact"]
    assert not result.cut_short
    assert result.tried > 5


def test_demands_and_lists_become_small() -> None:
    calls = (
        script.Allocate(40, [9, 9], settle=[41]),
        script.Open(41, "forward", "compute", waits=[3, 41]),
        script.Hold(41, 1, [(40, place) for place in range(9)], "read"),
    )

    def fails(some: script.Script) -> bool:
        first, last = some[0], some[-1]
        if not isinstance(first, script.Allocate) or not isinstance(last, script.Hold):
            return False
        return len(some) == 3 and any(place < first.demand[1] for _, place in last.ids)

    assert reduced(calls, fails, 20).script == (
        script.Allocate(0, [0, 1]),
        script.Open(0, "forward", "compute"),
        script.Hold(0, 1, [(0, 0)], "read"),
    )


def test_demands_are_put_together() -> None:
    calls = (
        script.Allocate(0, [1, 0]),
        script.Allocate(1, [2, 1]),
        script.Release(0, [(0, 0), (1, 1)]),
    )

    def fails(some: script.Script) -> bool:
        asked = sum(call.demand[0] for call in some if isinstance(call, script.Allocate))
        return asked >= 3 and isinstance(some[-1], script.Release) and len(some[-1].ids) == 2

    assert reduced(calls, fails, 20).script == (script.Allocate(0, [3, 0]), script.Release(0, [(0, 0), (0, 2)]))


def test_names_are_numbered_anew() -> None:
    calls = (script.Open(17, "copy", "host"), script.Complete(17), script.Complete(script.NEVER_OPENED))
    result = reduced(calls, lambda some: len(some) == 3, 20).script
    assert result == (script.Open(0, "copy", "host"), script.Complete(0), script.Complete(script.NEVER_OPENED))


def test_time_that_runs_out_is_said() -> None:
    result = reduced((script.Drain(), script.Drain()), lambda _: True, 0.0)
    assert result.cut_short
    assert len(result.script) == 2
