"""The operations by name: what each does to a stage, given its draws, and how often it is chosen beside the others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from fuzz.engine.operations import Draws
from fuzz.serving.scene import Scene
from fuzz.serving.stage import Stage

Operate = Callable[[Stage, Draws], str]
"""Does an operation; gives a word for what came of it. Whatever the stage, it does something or nothing."""


class Operation(NamedTuple):
    """One step of a driver: what to do, and the numbers that say how."""

    name: str
    draws: Draws


@dataclass(frozen=True)
class Kind:
    """One sort of operation.

    Attributes:
        name: of the sort.
        prose: what it does, in a sentence.
        weight: how often it is chosen beside the others.
        act: does it.
        is_of: whether it can do anything in a scene.
    """

    name: str
    prose: str
    weight: int
    act: Operate
    is_of: Callable[[Scene], bool]


KINDS: Final[dict[str, Kind]] = {}


def operation(weight: int, is_of: Callable[[Scene], bool] = lambda scene: True) -> Callable[[Operate], Operate]:
    """Register a function under its name, with dashes."""

    def register(act: Operate) -> Operate:
        name = act.__name__.replace("_", "-")
        assert act.__doc__, f"{name} says nothing of itself"
        KINDS[name] = Kind(name, " ".join(act.__doc__.split()), weight, act, is_of)
        return act

    return register


def kinds_of(scene: Scene) -> tuple[Kind, ...]:
    """Those that can do anything in a scene."""
    return tuple(kind for kind in KINDS.values() if kind.is_of(scene))
