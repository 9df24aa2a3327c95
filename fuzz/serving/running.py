"""Engines on small arenas, and what their models say on memory of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from events import records
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.at_once import AtOnceRuntime
from impl.device.simulated.runtime import SimulatedRuntime
from impl.layout import Layout, Lifetime, Options
from impl.recording import RecordedAllocator
from impl.serving.engine.dense import generated
from impl.serving.engine.engine import Engine, Policy
from impl.serving.engine.job import Job
from impl.serving.engine.model import Model
from impl.serving.engine.tiny import PAGE_TOKENS
from spec.judge.judge import Judge
from spec.judge.verdict import Finding

TOLERANCE = 1e-6
"""Between logits of a spread of about 4; what is computed in another order differs by 1e-14."""


@dataclass(frozen=True)
class Task:
    """What a job is asked for."""

    prompt: tuple[int, ...]
    new_tokens: int


@dataclass(eq=False)
class Served:
    """An engine, and all that it stands on."""

    engine: Engine
    model: Model
    layout: Layout
    allocator: RecordedAllocator
    device: ArenaDevice[Any]
    runtime: Any
    judge: Judge
    findings: list[Finding]

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Of every arena."""
        return (self.judge,)


def options(page_tokens: int = PAGE_TOKENS, **more: Any) -> Options:
    """How a tiny model is served."""
    return Options(page_tokens=page_tokens, **more)


def room_for(layout: Layout, tokens: int, states: int = 3) -> int:
    """Bytes of an arena in which so many tokens of every kind have room at a time, and so many states."""
    total = 0
    for kind in layout.kinds:
        pages = states if kind.lifetime is Lifetime.STATE else -(-tokens // kind.page_tokens) + 1
        total += pages * kind.page_bytes
    return total + 2 * max(kind.page_bytes for kind in layout.kinds)


def serve(
    layout: Layout,
    arena_bytes: int,
    *,
    late: bool = False,
    policy: Policy | None = None,
    model: Model | None = None,
    engine_of: Callable[[Model, Any, ArenaDevice[Any], Policy], Engine] = Engine,
    runtime: Any = None,
) -> Served:
    """An engine on an arena whose every byte is not a number at first, and whose every record is judged."""
    runtime = runtime or (SimulatedRuntime() if late else AtOnceRuntime())
    devices: list[ArenaDevice[Any]] = []

    def device(chain: Chain) -> ArenaDevice[Any]:
        devices.append(ArenaDevice(chain, runtime))
        return devices[-1]

    judge = Judge()
    findings: list[Finding] = []

    def judged(record: records.AnyRecord) -> None:
        finding = judge.take(record)
        if finding is not None:
            findings.append(finding)

    allocator = RecordedAllocator(Allocator(layout, arena_bytes, device=device), judged)
    if not late:
        devices[0].arena[devices[0].chain.base :].fill_(0xFF)
    model = model or Model(layout)
    engine = engine_of(model, allocator, devices[0], policy or Policy(most_running=4, chunk=7, positions=64))
    return Served(engine, model, layout, allocator, devices[0], runtime, judge, findings)


def work_off(served: Served) -> None:
    """Let a late device do all it was given."""
    if isinstance(served.runtime, SimulatedRuntime):
        served.runtime.run_all()


def quiet(served: Served) -> None:
    """Let a late device do all it was given, and the engine take note."""
    work_off(served)
    served.engine.poll()


@cache
def said_alone(layout: Layout, task: Task) -> tuple[tuple[int, ...], torch.Tensor]:
    """What the model says on memory of its own."""
    said, logits = generated(Model(layout), layout, list(task.prompt), task.new_tokens)
    return tuple(said), logits


def furthest(layout: Layout, asked: list[Task], jobs: list[Job]) -> float:
    """The largest difference of any logit from what it is on memory of its own; all jobs are done."""
    worst = 0.0
    for task, job in zip(asked, jobs, strict=True):
        said, logits = said_alone(layout, task)
        assert job.done
        assert not job.rejected
        if tuple(job.said) != said:
            return float("inf")
        difference = (torch.stack(job.logits) - logits).abs().max()
        worst = max(worst, float(difference.nan_to_num(float("inf"))))
    return worst
