"""A failure: what broke, and the shortest operations in the simplest scene that break it."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from fuzz.peers.shrinking import shrunk
from fuzz.serving.living import Script, lived
from fuzz.serving.operations import Operation
from fuzz.serving.scene import Scene, simpler
from fuzz.violation import Violation
from spec.judge.verdict import Finding

Calls: TypeAlias = tuple[list[Any], ...]
"""Operations as lists that begin with a name."""


@dataclass(frozen=True)
class Failure:
    """A check that does not hold, and a life that shows it.

    Attributes:
        scene: in which.
        property: its name, in the specification or in `fuzz.serving.words`.
        problem: what was seen, a clause.
        finding: the judge's, where it was the judge who saw it.
        script: the operations.
        fault: the seeded fault under which this was found, if it was one.
        repeats: whether the operations showed it again when they were done a second time.
        reduced: whether nothing can be left out of them; False where time ran out before that was known.
        absent: kinds of operations that were switched off in the life that broke.
    """

    scene: Scene
    property: str
    problem: str
    finding: Finding | None
    script: Script
    fault: str | None = None
    repeats: bool = True
    reduced: bool = True
    absent: tuple[str, ...] = ()


def explained(
    scene: Scene,
    script: Script,
    violation: Violation,
    *,
    fault: str | None = None,
    seconds: float = 60.0,
    tries: int | None = None,
    absent: tuple[str, ...] = (),
) -> Failure:
    """The failure of a life, made short: operations are left out, scenes made simpler, numbers made smaller.

    The same property must break, so that a failure keeps its name.

    Args:
        scene: of the life.
        script: its operations, up to the one at which it broke.
        violation: what broke.
        fault: the seeded fault that is in force.
        seconds: for making it short.
        tries: lives that are lived to that end; none for as many as there is time for.
        absent: kinds of operations that were switched off.
    """
    again = lived(scene, script).violation
    if again is None or again.property != violation.property:
        seen = violation.property, violation.problem, violation.finding
        return Failure(scene, *seen, script, fault, repeats=False, reduced=False, absent=absent)
    until = time.monotonic() + seconds
    calls, where, done = _as_lists(script), scene, False
    before: tuple[Calls, Scene] | None = None
    while before != (calls, where) and time.monotonic() < until:
        before = calls, where
        calls, done = shrunk(calls, partial(_breaks, where, violation.property), until - time.monotonic(), tries)
        where = _plainest(where, calls, violation.property, until if tries is None or done else 0.0)
    last = lived(where, as_script(calls))
    assert last.violation is not None, "a life that broke breaks again"
    seen = last.violation.property, last.violation.problem, last.violation.finding
    return Failure(where, *seen, last.script, fault, reduced=done, absent=absent)


def _plainest(scene: Scene, calls: Calls, name: str, until: float) -> Scene:
    """A scene that has as few features as may be, and in which the same still breaks."""
    for plainer in simpler(scene):
        if time.monotonic() < until and _breaks(plainer, name, calls):
            return _plainest(plainer, calls, name, until)
    return scene


def _breaks(scene: Scene, name: str, calls: Calls) -> bool:
    violation = lived(scene, as_script(calls)).violation
    return violation is not None and violation.property == name


def _as_lists(script: Script) -> Calls:
    return tuple([name, *draws] for name, draws in script)


def as_script(calls: Calls) -> Script:
    """Operations of lists that begin with a name."""
    return tuple(Operation(name, (one, two, three, four)) for name, one, two, three, four in calls)
