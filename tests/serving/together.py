"""Runs of several features at once, on tiny engines."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from bandgap.compatibility.runs import Run
from bandgap.compatibility.words import CHAINS
from impl.layout import Draft, DType, Layout, Options
from impl.serving.engine.engine import Policy
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import PAGE_TOKENS, tiny
from tests.serving.hosting import large, serve_hosted
from tests.serving.running import Served, Task, drive, furthest, room_for, serve
from tests.serving.speculating import DRAFT_WINDOW, speculate
from tests.serving.transferring import compare, pair
from tests.serving.transferring import drive as drive_pair

PAGES = {"pages-of-1": 1, "large-pages": 16}
POSITIONS = 96
ROOM = (40, 2)
"""Tokens and states for which there is room at a time."""

GUESSING = (3, 4, 8)
"""States in one arena after the other, where guesses take some of their own."""


@dataclass
class Seen:
    """What a run came to.

    Attributes:
        furthest: see `running.furthest`.
        times: how often each feature was seen to do something.
    """

    furthest: float = float("inf")
    times: Counter[str] = field(default_factory=Counter)


def layout_of_run(run: Run) -> Layout:
    """The tiny model of a run."""
    (page_tokens,) = [PAGES[feature] for feature in run.features if feature in PAGES] or [PAGE_TOKENS]
    dtype = DType.FP8_E4M3 if "fp8-kv" in run.features else DType.BF16
    draft = None
    if run.features & {*CHAINS}:
        window = DRAFT_WINDOW if "dspark" in run.features else None
        draft = Draft(1 if "eagle" in run.features else 2, kv_heads=2, head_dim=8, window=window)
    return tiny(run.preset, Options(page_tokens=page_tokens, kv_dtype=dtype, draft=draft))


def policy_of(run: Run, page_tokens: int) -> Policy:
    """How the engine of a run schedules."""
    interval = max(8, page_tokens) if "prefix-cache" in run.features else None
    return Policy(3, 7, in_flight=2 if "overlap" in run.features else 1, positions=POSITIONS, interval=interval)


def conversation(seed: int) -> list[Task]:
    """Prompts that begin alike, with more tokens than a large page."""
    rng = random.Random(seed)
    texts = [tuple(rng.randrange(96) for _ in range(18 + rng.randrange(8))) for _ in range(3)]
    return [
        Task(texts[number % 3] + tuple(rng.randrange(96) for _ in range(rng.randrange(1, 9))), rng.randrange(3, 7))
        for number in range(6)
    ]


def together(run: Run) -> Seen:
    """A run in one process."""
    if "disaggregation" in run.features:
        return in_two_arenas(run)
    layout = layout_of_run(run)
    policy = policy_of(run, layout.page_tokens)
    arena_bytes = room_for(layout, *ROOM)
    chain = next((feature for feature in run.features if feature in CHAINS), None)
    asked = conversation(1)
    if chain is not None:
        return guessing(run, layout, policy, chain, [Task(task.prompt, task.new_tokens + 6) for task in asked])
    if "host-tier" in run.features:
        hosted = serve_hosted(
            layout, arena_bytes, large(layout), write="back", policy=policy, interval=policy.interval or 0
        )
        seen = driven(run, hosted, asked)
        seen.times["host-tier"] = hosted.cache.loaded
        return seen
    return driven(run, serve(layout, arena_bytes, late=True, policy=policy), asked)


def guessing(run: Run, layout: Layout, policy: Policy, chain: str, asked: list[Task]) -> Seen:
    """A run that speculates, in one arena after the other until it has had both too little room and enough to guess."""
    seen = Seen(0.0)
    for states in GUESSING:
        made = speculate(
            layout, room_for(layout, ROOM[0], states=states), chain, agree=mostly, late=True, policy=policy
        )
        one = driven(run, made.served, asked, made.ask)
        one.times[chain] = made.engine.accepted
        seen = Seen(max(seen.furthest, one.furthest), seen.times + one.times)
        if all(seen.times[feature] for feature in run.features):
            break
    return seen


def mostly(position: int) -> int:
    """How many guesses in a row are right: often all, at times none."""
    return 0 if position % 5 == 0 else 3


def in_two_arenas(run: Run) -> Seen:
    """A run of which prompts are computed in another arena."""
    layout = layout_of_run(run)
    interval = policy_of(run, layout.page_tokens).interval
    both, chance = pair(layout, 120, ROOM[0] - 8, ROOM[1], interval), random.Random(3)
    left, seen = conversation(1), Seen()
    engines = (both.prefill.engine, both.decode.engine)

    def happen() -> None:
        seen.times["overlap"] += any(len(engine.flying) > 1 for engine in engines)
        if left and chance.random() < 0.1:
            both.ask(left.pop(0))

    while left:
        both.ask(left.pop(0))
        drive_pair(both, random.Random(len(left)), happen)
    compare(both)
    seen.furthest = 0.0
    seen.times["retraction"] = sum(engine.retractions for engine in engines)
    seen.times["prefix-cache"] = sum(engine.prefix.hit_tokens for engine in engines if engine.prefix is not None)
    seen.times["disaggregation"] = sum(not asked.recomputed for _, asked in both.asked)
    look_at(layout, seen)
    return seen


def driven(run: Run, served: Served, asked: list[Task], ask_for: Callable[[Task], Job] | None = None) -> Seen:
    """Let an engine serve, and watch it."""
    seen, chance = Seen(), random.Random(3)
    engine, left = served.engine, list(asked)
    jobs: list[Job] = []

    def happen() -> None:
        seen.times["overlap"] += len(engine.flying) > 1
        if left and chance.random() < 0.5:
            ask()
        running = [job for job in jobs if job.request is not None]
        if "priority-preemption" in run.features and len(running) > 1 and chance.random() < 0.1:
            engine.preempt(chance.choice(running))
            seen.times["priority-preemption"] += 1

    def ask() -> None:
        task = left.pop(0)
        jobs.append(engine.submit(task.prompt, task.new_tokens) if ask_for is None else ask_for(task))

    while left:
        ask()
        drive(served, random.Random(len(left)), happen)
    seen.furthest = furthest(served.layout, asked, jobs)
    seen.times["retraction"] = engine.retractions - seen.times["priority-preemption"]
    if engine.prefix is not None:
        seen.times["prefix-cache"] = engine.prefix.hit_tokens
    look_at(served.layout, seen)
    return seen


def look_at(layout: Layout, seen: Seen) -> None:
    """What a layout shows of features."""
    windows = [kind.window for kind in layout.kinds if kind.window is not None]
    seen.times["fp8-kv"] = any(row.dtype is DType.FP8_E4M3 for kind in layout.kinds for row in kind.rows)
    seen.times["pages-of-1"] = layout.page_tokens == 1
    seen.times["large-pages"] = layout.page_tokens == 16 and all(layout.page_tokens > window for window in windows)
