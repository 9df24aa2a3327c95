"""Finds the budget at which the split pools do what was published of them; the arena is not looked at."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Budgets in bytes."""

    least: int
    most: int
    """The ends of the range that was found to agree, or twice the nearest."""
    reached: float
    """What the split pools do at the least."""


def rising(measure: Callable[[int], float], target: float, low: int, high: int, grain: int) -> Calibrated:
    """The budgets at which a measure that rises with the budget equals a target, to a grain of bytes.

    Where it jumps over the target, the first budget above the jump.
    """
    least = _first(lambda budget: measure(budget) >= target, low, high, grain)
    reached = measure(least)
    if reached != target:
        return Calibrated(least, least, reached)
    above = _first(lambda budget: measure(budget) > target, least, high, grain)
    return Calibrated(least, max(least, above - grain), reached)


def nearest(
    measure: Callable[[int], float], target: float, low: int, high: int, points: int, halvings: int = 0
) -> Calibrated:
    """The budget at which a measure is nearest to a target, of so many that are evenly spaced.

    For measures that rise and fall with the budget. Beside it, where the measure crosses the target, the stretch
    between two budgets is halved so many times.
    """
    budgets = [low + (high - low) * number // (points - 1) for number in range(points)]
    reached = {budget: measure(budget) for budget in budgets}

    def miss(budget: int) -> tuple[float, int]:
        return abs(reached[budget] - target), budget

    coarse = min(budgets, key=miss)
    for below, above in pairwise(budgets):
        if coarse in (below, above) and (reached[below] - target) * (reached[above] - target) < 0:
            _halve(measure, target, (below, above), halvings, reached)
    best = min(reached, key=miss)
    return Calibrated(best, best, reached[best])


def _halve(
    measure: Callable[[int], float], target: float, ends: tuple[int, int], halvings: int, reached: dict[int, float]
) -> None:
    """Adds what is measured between two budgets on either side of the target."""
    below, above = ends
    for _ in range(halvings):
        middle = (below + above) // 2
        reached[middle] = measure(middle)
        if (reached[below] - target) * (reached[middle] - target) <= 0:
            above = middle
        else:
            below = middle


def _first(holds: Callable[[int], bool], low: int, high: int, grain: int) -> int:
    """The least budget of a grid at which something holds that holds from somewhere on."""
    below, above = 0, max(1, (high - low) // grain)
    while below < above:
        middle = (below + above) // 2
        if holds(low + middle * grain):
            above = middle
        else:
            below = middle + 1
    return low + below * grain
