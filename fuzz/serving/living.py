"""One life: a scene is set, operations are done one after the other, and in the end everything comes to its end."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from fuzz.looks import Look, look_of
from fuzz.serving.happening import take_note
from fuzz.serving.kinds import KINDS
from fuzz.serving.operations import Operation
from fuzz.serving.scene import Scene
from fuzz.serving.stage import Stage
from fuzz.serving.words import told
from fuzz.violation import Violation

END: Final = "end"
"""What breaks once all operations are done breaks there."""

Script: TypeAlias = tuple[Operation, ...]


@dataclass(frozen=True)
class Life:
    """What became of a life.

    Attributes:
        script: the operations that were begun.
        violation: what broke; None if nothing did.
        jobs: that were compared.
        done: operations by name and what came of them.
        events: what happened meanwhile, by name.
        calls: that were judged.
        actions: page actions that were judged, by name.
        look: how what broke looks; None if nothing did.
    """

    script: Script
    violation: Violation | None
    jobs: int
    done: Counter[tuple[str, str]]
    events: Counter[str]
    calls: int
    actions: Counter[str]
    look: Look | None


def lived(scene: Scene, operations: Sequence[Operation]) -> Life:
    """Live a life from beginning to end, or until something breaks."""
    stage, begun, at, violation, look = Stage(scene), 0, "", None, None
    try:
        for operation in operations:
            begun, at = begun + 1, operation.name
            do(stage, operation)
        at = END
        end(stage)
    except Violation as broken:
        violation, look = broken, look_of(broken.property, at, broken.problem)
    finally:
        stage.close()
    jobs = sum(want.is_over for want in stage.wants)
    return Life(tuple(operations[:begun]), violation, jobs, stage.done, stage.events, stage.calls, stage.actions, look)


def do(stage: Stage, operation: Operation) -> None:
    """Do an operation, and look at everything.

    Raises:
        Violation: something is broken.
    """
    name, draws = operation
    try:
        with told():
            stage.note(name, KINDS[name].act(stage, draws))
            stage.look()
            take_note(stage)
    except Violation as violation:
        raise stage.judged_first(violation) from violation


def end(stage: Stage) -> None:
    """Let everything come to its end, and see that nothing is left.

    Raises:
        Violation: something is broken.
    """
    try:
        with told():
            stage.finish()
            take_note(stage)
    except Violation as violation:
        raise stage.judged_first(violation) from violation
