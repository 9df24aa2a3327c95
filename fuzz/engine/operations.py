"""The operations of an engine, by name."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from fuzz.engine.engine import Operate

DRAWS: Final = 4
DRAW_BITS: Final = 16
"""Each operation takes four numbers of 16 bits."""

Draws = tuple[int, int, int, int]


class Operation(NamedTuple):
    """One step of a driver: what to do, and the numbers that say how."""

    name: str
    draws: Draws


@dataclass(frozen=True)
class Kind:
    """One sort of operation: what it does, in a sentence, and how often it is chosen beside the others."""

    name: str
    prose: str
    weight: int
    act: Operate


KINDS: Final[dict[str, Kind]] = {}


def operation(weight: int) -> "_Register":
    """Register a function under its name, with dashes."""
    return _Register(weight)


class _Register:
    def __init__(self, weight: int) -> None:
        self.weight = weight

    def __call__(self, act: Operate) -> Operate:
        name = act.__name__.replace("_", "-")
        assert act.__doc__, f"{name} says nothing of itself"
        KINDS[name] = Kind(name, " ".join(act.__doc__.split()), self.weight, act)
        return act
