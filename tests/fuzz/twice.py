"""Whether something that was done twice was the same, event for event."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from fuzz.engine.engine import Engine
from fuzz.engine.kinds import KINDS
from fuzz.engine.operations import Draws, Kind
from fuzz.machine import run_machine
from fuzz.seeded import live, operations_of
from fuzz.setups import Setup, setup_of
from fuzz.stage import Stage
from fuzz.staging import stage_for
from fuzz.targets.protocol import Target
from fuzz.watch import IN_PASSING, Watch


def first_difference(events: Callable[[], Sequence[Any]]) -> int | None:
    """The place of the first event that is another one the second time; none if all are the same."""
    once, again = events(), events()
    assert len(once) > 100
    if once == again:
        return None
    pairs = zip(once, again, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(once), len(again)))


def events_of_a_life(target: Target, setup: str) -> Sequence[Any]:
    """Calls with what was done between them, and the trace."""
    stage = stage_for(target, setup_of(setup), IN_PASSING, keep_records=True)
    assert live(stage, operations_of(8, 2))[1] is None
    return [*stage.log, *(stage.records or ())]


def events_of_the_machine(monkeypatch: pytest.MonkeyPatch, target: Target, setup: str) -> Sequence[Any]:
    """The same of every example."""
    stages: list[Stage] = []

    def kept(target: Target, setup: Setup, watch: Watch) -> Stage:
        stages.append(stage_for(target, setup, watch, keep_records=True))
        return stages[-1]

    with monkeypatch.context() as patch:
        patch.setattr("fuzz.machine.stage_for", kept)
        assert run_machine(setup_of(setup), 4, target=target, examples=12, steps=25).failure is None
    return [event for stage in stages for event in (*stage.log, *(stage.records or ()))]


@contextmanager
def something_that_remembers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Operations do something else each time, whatever their draws are."""
    times = count()

    def remembering(kind: Kind) -> Kind:
        def act(engine: Engine, draws: Draws) -> str:
            engine.stage.publish(f"guest {next(times)}")
            return kind.act(engine, draws)

        return replace(kind, act=act)

    with monkeypatch.context() as patch:
        for name, kind in list(KINDS.items()):
            patch.setitem(KINDS, name, remembering(kind))
        yield
