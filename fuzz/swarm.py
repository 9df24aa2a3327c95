"""Swarm testing: some kinds of operations are switched off in a life, and some others frequent."""

from collections.abc import Iterable, Mapping
from typing import Final

from fuzz.engine.kinds import KINDS

EMPHASES: Final = (0, 1, 1, 2, 5)
"""Each kind of operation is rarer or more frequent in one life than in another, or absent from it."""

BEGINNING: Final = ("admit", "one-kind", "at-the-edge", "fill-up", "leave-holes")
"""Kinds that need nothing to be there: without any of them a life comes to next to nothing."""


def weights_of(names: Iterable[str], numbers: Iterable[int]) -> dict[str, int]:
    """How often each kind is done beside the others, from a number for each; 0 where it is switched off."""
    chosen = zip(names, numbers, strict=True)
    weights = {name: KINDS[name].weight * EMPHASES[number % len(EMPHASES)] for name, number in chosen}
    if not any(weights[name] for name in BEGINNING):
        weights["admit"] = KINDS["admit"].weight
    return weights


def switched_off(weights: Mapping[str, int]) -> tuple[str, ...]:
    """The kinds that are, in the order in which they are registered."""
    return tuple(name for name in KINDS if not weights[name])
