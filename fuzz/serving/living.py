"""One life: a scene is set, operations are done one after the other, and in the end everything comes to its end."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fuzz.serving.happening import take_note
from fuzz.serving.kinds import KINDS
from fuzz.serving.operations import Operation
from fuzz.serving.scene import Scene
from fuzz.serving.stage import Stage
from fuzz.serving.words import told
from fuzz.violation import Violation

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
    """

    script: Script
    violation: Violation | None
    jobs: int
    done: Counter[tuple[str, str]]
    events: Counter[str]


def lived(scene: Scene, operations: Sequence[Operation]) -> Life:
    """Live a life from beginning to end, or until something breaks."""
    stage, begun, violation = Stage(scene), 0, None
    try:
        for operation in operations:
            begun += 1
            do(stage, operation)
        end(stage)
    except Violation as broken:
        violation = broken
    finally:
        stage.close()
    jobs = sum(want.is_over for want in stage.wants)
    return Life(tuple(operations[:begun]), violation, jobs, stage.done, stage.events)


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
