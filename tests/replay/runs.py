"""Small runs of the engine, on memory that is short."""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from impl.layout import Options
from replay.cost.device import H200
from replay.cost.model import ModelCost, model_cost
from replay.cost.step import StepCost
from replay.engine.engine import Engine
from replay.engine.policy import Policy
from replay.job import Job, Settings, run_job, split_job, unified_job
from replay.memory.ratios import Ratios
from replay.memory.unified import UnifiedMemory
from replay.outcome import Outcome
from replay.traffic.traffic import Traffic

WINDOW = Settings("gpt-oss-20b", Options(page_tokens=16), 150_000_000)
"""Window and full attention; a few dozen requests of a hundred tokens fill it."""
STATE = Settings("qwen3.5-4b", Options(page_tokens=16), 400_000_000)
"""State and full attention."""
ALL = Settings("inkling-small", Options(page_tokens=16), 200_000_000, weight_bytes=10**10)
"""State, window and full attention."""
MODELS = {"window": WINDOW, "state": STATE, "all": ALL}


@dataclass(frozen=True, slots=True)
class KillsOnce(Settings):
    """The first process that reads them is killed."""

    killed: Path = Path()

    @property
    def costs(self) -> ModelCost:
        """As they are."""
        if not self.killed.exists():
            self.killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return model_cost(self.model, self.layout, self.weight_bytes, self.active)


def kills_once(settings: Settings, killed: Path) -> Settings:
    """The same settings, of which a process dies."""
    return KillsOnce(settings.model, settings.options, settings.arena_bytes, killed=killed)


def traffic(requests: int = 120, seed: int = 3, rate: float = 200.0, prompt: int = 200, output: int = 120) -> Traffic:
    """Requests of many lengths that come faster than they can be served."""
    draws = np.random.default_rng(seed)
    arrivals = np.cumsum(draws.exponential(1 / rate, requests))
    prompts, outputs = draws.integers(1, 2 * prompt, requests), draws.integers(1, 2 * output, requests)
    return Traffic("drawn", arrivals - arrivals[0], prompts, outputs)


def with_prefixes(drawn: Traffic, block_tokens: int = 64, families: int = 4) -> Traffic:
    """The same traffic, in which every few requests share the beginnings of their prompts."""
    prefixes = [
        [1_000 * (number % families) + block for block in range(int(prompt) // block_tokens)]
        for number, prompt in enumerate(drawn.prompts)
    ]
    return replace(drawn, prefixes=prefixes, block_tokens=block_tokens)


def unified(settings: Settings, requests: Traffic, **changed: object) -> Outcome:
    """The arena, under a changed policy."""
    return run_job(unified_job(_under(settings, changed)), requests)


def eager(settings: Settings, requests: Traffic) -> Outcome:
    """The arena, whose forwards hold what they use from the beginning."""
    return run_job(Job("unified", settings, eager=True), requests)


def split(settings: Settings, requests: Traffic, ratios: Ratios = Ratios(), **changed: object) -> Outcome:  # noqa: B008  # it is frozen
    """Split pools, under a changed policy."""
    return run_job(split_job(_under(settings, changed), ratios), requests)


def engine(
    settings: Settings, requests: Traffic, report: Callable[[int], bool] = lambda done: True
) -> tuple[Engine, UnifiedMemory]:
    """An engine on an arena, to be run."""
    memory = UnifiedMemory(settings.layout, settings.arena_bytes)
    return Engine(requests, memory, StepCost(settings.costs, H200, settings.constants), settings.policy, report), memory


def one(prompt: int, output: int, prefix: Sequence[int] | None = None) -> Traffic:
    """A single request."""
    arrivals, prompts, outputs = np.zeros(1), np.array([prompt]), np.array([output])
    return Traffic("one", arrivals, prompts, outputs, None if prefix is None else [prefix])


def _under(settings: Settings, changed: dict[str, object]) -> Settings:
    return replace(settings, policy=replace(Policy(), **changed))  # type: ignore[arg-type]  # fields by name


def same(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes are the same in all but the time that the replay took."""
    return replace(one, wall_seconds=0.0) == replace(other, wall_seconds=0.0)
