"""Runs of several features at once, on tiny engines."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bandgap.compatibility.runs import Run
from impl.layout import DType
from impl.serving.engine.engine import Policy
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import PAGE_TOKENS, tiny
from tests.serving.running import Served, Task, drive, furthest, options, room_for, serve

PAGES = {"pages-of-1": 1, "large-pages": 16}
POSITIONS = 96
ROOM = (40, 2)


@dataclass
class Seen:
    """What a run came to.

    Attributes:
        furthest: see `running.furthest`.
        times: how often each feature was seen to do something.
    """

    furthest: float = float("inf")
    times: Counter[str] = field(default_factory=Counter)


def options_of(run: Run) -> Any:
    """How the model of a run is served."""
    (page_tokens,) = [PAGES[feature] for feature in run.features if feature in PAGES] or [PAGE_TOKENS]
    dtype = DType.FP8_E4M3 if "fp8-kv" in run.features else DType.BF16
    return options(page_tokens, kv_dtype=dtype)


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
        for number in range(9)
    ]


def alone(run: Run) -> Seen:
    """A run on one engine in one process."""
    layout = tiny(run.preset, options_of(run))
    tokens, states = ROOM if "retraction" in run.features else (400, 24)
    served = serve(
        layout, room_for(layout, tokens, states=states), late=True, policy=policy_of(run, layout.page_tokens)
    )
    return driven(run, served, conversation(1))


def driven(run: Run, served: Served, asked: list[Task]) -> Seen:
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
        jobs.append(engine.submit(task.prompt, task.new_tokens))

    while left:
        ask()
        drive(served, random.Random(len(left)), happen)
    seen.furthest = furthest(served.layout, asked, jobs)
    seen.times["retraction"] = engine.retractions - seen.times["priority-preemption"]
    if engine.prefix is not None:
        seen.times["prefix-cache"] = engine.prefix.hit_tokens
    for kind in served.layout.kinds:
        seen.times["fp8-kv"] += any(row.dtype is DType.FP8_E4M3 for row in kind.rows)
    page_tokens = served.layout.page_tokens
    seen.times["pages-of-1"] = page_tokens == 1
    windows = [kind.window for kind in served.layout.kinds if kind.window is not None]
    seen.times["large-pages"] = page_tokens == 16 and all(page_tokens > window for window in windows)
    return seen
