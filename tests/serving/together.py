"""Runs of several features at once, on tiny engines."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bandgap.compatibility.runs import Run
from fuzz.serving.transferring import pair_of
from impl.device.simulated.runtime import SimulatedRuntime
from impl.layout import DType, Layout
from impl.serving.engine.engine import Engine
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import tiny
from impl.serving.speculation.engine import SpeculatingEngine
from tests.serving.assembled import Assembled, Parts, assembled, chain_in, options_of, policy_of, right_for
from tests.serving.hosting import large
from tests.serving.running import Task, drive, furthest, room_for
from tests.serving.speculating import furthest_proposal
from tests.serving.transferring import compare
from tests.serving.transferring import drive as drive_pair

ROOM = (40, 2)
"""Tokens and states for which there is room at a time."""

GUESSING = (3, 4, 8, 16, 2)
"""States in one arena after the other, where guesses take some of their own."""

FIRST = 120
"""Tokens for which there is room where prompts are computed for another arena; less where what gives way comes back."""


MOST_PREEMPTED = 12
"""Requests that give way: each begins anew, and at some time all are to be done."""


@dataclass
class Seen:
    """What a run came to.

    Attributes:
        furthest: see `running.furthest`; of what a draft proposes, too.
        times: how often each feature was seen to do something.
    """

    furthest: float = 0.0
    times: Counter[str] = field(default_factory=Counter)


def conversation(seed: int, more: int = 0) -> list[Task]:
    """Prompts that begin alike, with more tokens than a large page."""
    rng = random.Random(seed)
    texts = [tuple(rng.randrange(96) for _ in range(18 + rng.randrange(8))) for _ in range(3)]
    return [
        Task(
            texts[number % 3] + tuple(rng.randrange(96) for _ in range(rng.randrange(1, 9))),
            rng.randrange(3, 7) + more,
        )
        for number in range(6)
    ]


def together(run: Run) -> Seen:
    """A run in one process, in one arena after the other until all of its features have done something."""
    layout, chain = tiny(run.preset, options_of(run)), chain_in(run)
    asked = conversation(1, more=0 if chain is None else 6)
    served = in_two_arenas if "disaggregation" in run.features else driven
    seen = Seen()
    for states in ROOM[1:] if chain is None else GUESSING:
        parts = Parts(
            layout,
            room_for(layout, ROOM[0], states=states),
            SimulatedRuntime(),
            policy_of(run, layout.page_tokens),
            host_bytes=large(layout) if "host-tier" in run.features else 0,
            chain=chain,
            right=right_for(layout, asked),
        )
        one = served(run, parts, asked, states)
        seen = Seen(max(seen.furthest, one.furthest), seen.times + one.times)
        if all(seen.times[feature] for feature in run.features):
            break
    return seen


def in_two_arenas(run: Run, parts: Parts, asked: list[Task], states: int) -> Seen:
    """A run of which prompts are computed in another arena."""
    layout, seen, chance, left = parts.layout, Seen(), random.Random(3), list(asked)
    made: list[Assembled] = []

    def make(tokens: int) -> Callable[[], Assembled]:
        def make_one() -> Assembled:
            size = room_for(layout, tokens, states=states)
            made.append(assembled(replace(parts, arena_bytes=size, runtime=SimulatedRuntime())))
            return made[-1]

        return make_one

    both = pair_of(layout, make(ROOM[0] if parts.host_bytes else FIRST), make(ROOM[0] - 8))

    def happen() -> None:
        seen.times["overlap"] += any(len(each.engine.flying) > 1 for each in made)
        if left and chance.random() < 0.3:
            both.ask(left.pop(0))
        for each in made:
            perhaps_preempt(run, each.engine, chance, seen, likely=0.5)

    while left:
        both.ask(left.pop(0))
        drive_pair(both, random.Random(len(left)), happen)
    compare(both)
    seen.times["disaggregation"] = sum(not asked.recomputed for _, asked in both.asked)
    look_at(run, made, seen)
    return seen


def driven(run: Run, parts: Parts, asked: list[Task], states: int) -> Seen:
    """Let an engine serve, and watch it."""
    seen, chance, left = Seen(), random.Random(3), list(asked)
    made = assembled(parts)
    jobs: list[Job] = []

    def happen() -> None:
        seen.times["overlap"] += len(made.engine.flying) > 1
        if left and chance.random() < 0.5:
            ask()
        perhaps_preempt(run, made.engine, chance, seen)

    def ask() -> None:
        task = left.pop(0)
        jobs.append(made.engine.submit(task.prompt, task.new_tokens))

    while left:
        ask()
        drive(made, random.Random(len(left)), happen)
    seen.furthest = furthest(parts.layout, asked, jobs)
    look_at(run, [made], seen)
    return seen


def perhaps_preempt(run: Run, engine: Engine, chance: random.Random, seen: Seen, likely: float = 0.1) -> None:
    """At times a running request gives way, if that is of the run."""
    may = "priority-preemption" in run.features and seen.times["priority-preemption"] < MOST_PREEMPTED
    if may and len(engine.running) > 1 and chance.random() < likely:
        engine.preempt(chance.choice(engine.running))
        seen.times["priority-preemption"] += 1


def look_at(run: Run, made: Sequence[Assembled], seen: Seen) -> None:
    """What engines and their layout show of features, now that all is served."""
    for each in made:
        engine = each.engine
        seen.times["retraction"] += engine.retractions
        if engine.prefix is not None:
            seen.times["prefix-cache"] += engine.prefix.hit_tokens
        if each.tier is not None:
            seen.times["host-tier"] += each.tier.loaded
        if isinstance(engine, SpeculatingEngine) and each.speculation is not None:
            seen.times[chain_in(run) or ""] += engine.accepted
            if run.ranks or run.features & {"host-tier", "disaggregation"}:
                # elsewhere it is compared by tests of speculation, and takes its time
                seen.furthest = max(seen.furthest, furthest_proposal(each.speculation))
    seen.times["retraction"] -= seen.times["priority-preemption"]
    of_layout(made[0].layout, seen)


def of_layout(layout: Layout, seen: Seen) -> None:
    """What a layout shows of features."""
    windows = [kind.window for kind in layout.kinds if kind.window is not None]
    target = [row for kind in layout.kinds for row in kind.rows if not row.draft]
    seen.times["fp8-kv"] = any(row.dtype is DType.FP8_E4M3 for row in target)
    seen.times["pages-of-1"] = layout.page_tokens == 1
    seen.times["large-pages"] = layout.page_tokens == 16 and all(layout.page_tokens > window for window in windows)
