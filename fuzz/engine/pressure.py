"""Pressure: compaction, demands at the edge of what fits, and demands that cannot fit."""

from typing import Final

from fuzz.engine.engine import MOST_REQUESTS, Engine, pick
from fuzz.engine.operations import Draws, operation
from fuzz.engine.request import Request
from impl.plan import Refusal

MOST_STEPS: Final = 3
"""The steps of admission."""


@operation(weight=5)
def compact(engine: Engine, draws: Draws) -> str:
    """An idle moment: nothing, a page, a few pages or everything may be moved."""
    page = pick(engine.kinds, draws[0]).page_bytes
    moved = engine.stage.compact((0, page - 1, page, 3 * page, 1 << 40, 1 << 40)[draws[1] % 6])
    return "moved" if moved else "nothing to move"


@operation(weight=4)
def one_kind(engine: Engine, draws: Draws) -> str:
    """Pages of one kind alone: a few, or a good part of what the arena could hold of it."""
    if len(engine.requests) >= MOST_REQUESTS:
        return "enough requests"
    band = pick(engine.bands, draws[0])
    all_of_it = engine.stage.allocator.chain.bands[band].limit
    count = (1, 2, 3, all_of_it // 5, all_of_it // 3, all_of_it // 2)[draws[1] % 6] + draws[1] // 6 % 2
    given = engine.stage.allocate(
        [count if other == band else 0 for other in engine.bands], engine.settleable(draws[2])
    )
    if not isinstance(given, list):
        return "rejected" if given is None else f"refused {given.reason}"
    engine.requests.append(Request(0, given, [0] * len(given)))
    return "granted"


@operation(weight=2)
def at_the_edge(engine: Engine, draws: Draws) -> str:
    """The most pages of one kind that fit by some step beside a few of the others, or one page more than that."""
    if len(engine.requests) >= MOST_REQUESTS:
        return "enough requests"
    band = pick(engine.bands, draws[0])
    demand = [draws[1] >> 2 * other & 3 if other != band else 0 for other in engine.bands]
    settle = engine.settleable(draws[2])
    most = most_that_fits(engine, band, demand, settle, MOST_STEPS - draws[3] // 2 % MOST_STEPS)
    if most is None:
        return "others do not fit"
    too_many = draws[3] % 2
    demand[band] = most + too_many
    given = engine.stage.allocate(demand, settle)
    if given is None:
        return "rejected"
    if isinstance(given, Refusal):
        return "refused"
    engine.requests.append(Request(0, given, [0] * len(given)))
    return "granted"


@operation(weight=1)
def ask_again(engine: Engine, draws: Draws) -> str:
    """Whether the most that fits would be met is asked again once somebody has published, and again once it left."""
    band = pick(engine.bands, draws[0])
    demand = [0 for _ in engine.bands]
    most = most_that_fits(engine, band, demand, [])
    if most is None:
        return "nothing fits"
    demand[band] = most
    who = f"guest {draws[1] % 2}"
    engine.stage.publish(who)
    still = engine.stage.would_fit(demand)
    engine.stage.unpublish(who)
    engine.stage.would_fit(demand)
    return "as before" if still else "not any more"


def most_that_fits(
    engine: Engine, band: int, demand: list[int], settle: list[int], step: int = MOST_STEPS
) -> int | None:
    """The largest count that the allocator says it would meet by this step or a lower one, found by halving."""

    def fits(count: int) -> bool:
        needed = engine.stage.step_for([*demand[:band], count, *demand[band + 1 :]], settle)
        return needed is not None and needed <= step

    if not fits(0):
        return None
    least, most = 0, engine.stage.allocator.chain.bands[band].limit + 1
    while least + 1 < most:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    return least


@operation(weight=1)
def impossible(engine: Engine, draws: Draws) -> str:
    """A demand that no arena of this size could meet."""
    demand = [0 for _ in engine.bands]
    band = pick(engine.bands, draws[0])
    demand[band] = engine.stage.allocator.chain.bands[band].limit + (1, 2, 1 << 20, 1 << 40)[draws[1] % 4]
    given = engine.stage.allocate(demand, engine.settleable(draws[2]))
    return "refused" if isinstance(given, Refusal) else "granted"
