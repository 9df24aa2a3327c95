"""Engines on small arenas, and what their models say on memory of their own."""

import random
from collections.abc import Callable

from fuzz.serving.running import (
    TOLERANCE,
    Served,
    Task,
    furthest,
    options,
    quiet,
    room_for,
    said_alone,
    serve,
)
from impl.device.simulated.runtime import SimulatedRuntime
from impl.serving.engine.model import VOCABULARY

__all__ = [
    "TOLERANCE",
    "Served",
    "Task",
    "drive",
    "furthest",
    "options",
    "quiet",
    "room_for",
    "said_alone",
    "serve",
    "tasks",
]


def tasks(seed: int, count: int = 4, longest: int = 22) -> list[Task]:
    """Prompts of all sorts of lengths."""
    rng = random.Random(seed)
    return [
        Task(tuple(rng.randrange(VOCABULARY) for _ in range(rng.randrange(1, longest))), rng.randrange(2, 9))
        for _ in range(count)
    ]


def drive(served: Served, rng: random.Random, between: Callable[[], object] = lambda: None) -> None:
    """Serve until all is said; a late device gets on as far as chance has it."""
    while not served.engine.is_idle:
        if isinstance(served.runtime, SimulatedRuntime):
            for _ in range(rng.randrange(4)):
                served.runtime.step(rng.randrange(8))
        served.engine.step()
        between()
    assert not served.findings, served.findings[0]
    served.allocator.check()
    assert served.runtime.host_waits == 0
