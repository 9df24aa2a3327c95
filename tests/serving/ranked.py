"""What a rank does in its own process: it serves, on a late device whose ends it hears of in its own time."""

import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from events import records
from fuzz.serving.hesitant import Hesitant
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.plan import Grant, Refusal
from impl.recording import RecordedAllocator
from impl.serving.engine.engine import Engine, Policy
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import tiny
from impl.serving.parallel.agreement import Agreement
from impl.serving.parallel.conjunction import Conjunction
from impl.serving.parallel.context import context_parallel
from impl.serving.parallel.data import data_parallel
from impl.serving.parallel.group import Group
from impl.serving.parallel.stages import pipelined, stage_layouts
from impl.serving.parallel.tensor import tensor_parallel
from impl.serving.parallel.witness import Witness
from spec.judge.judge import Judge
from spec.judge.verdict import Finding
from tests.serving.running import TOLERANCE, Task, options, room_for, said_alone

LISTENING = "0A"

POLICY = Policy(most_running=4, chunk=7, positions=64)


@dataclass
class Standing:
    """What an engine of a rank stands on: an arena whose every record is judged."""

    allocator: RecordedAllocator
    device: ArenaDevice[Any]
    runtime: Hesitant
    findings: list[Finding]


def stand(group: Group, layout: Layout, arena_bytes: int, seed: int) -> Standing:
    """An arena for a rank."""
    runtime: Any = Hesitant(random.Random(f"{seed} rank {group.rank.number}"))
    devices: list[ArenaDevice[Any]] = []
    judge, findings = Judge(), list[Finding]()

    def device(chain: Chain) -> ArenaDevice[Any]:
        devices.append(ArenaDevice(chain, runtime))
        return devices[-1]

    def judged(record: records.AnyRecord) -> None:
        finding = judge.take(record)
        if finding is not None:
            findings.append(finding)

    return Standing(
        RecordedAllocator(Allocator(layout, arena_bytes, device=device), judged), devices[0], runtime, findings
    )


@dataclass
class Report:
    """What a rank has served.

    Attributes:
        said: of each job its tokens.
        logits: of each job those of its tokens.
        ended: at each agreement, how many forwards had ended here.
        retractions: in all.
        moved: bytes, by compaction.
    """

    said: list[list[int]]
    logits: list[npt.NDArray[np.float64]]
    ended: list[int] = field(default_factory=list)
    retractions: int = 0
    moved: int = 0


def drive(engine: Engine, standing: Standing, asked: list[Task], seed: int, *, at_once: bool = False) -> Report:
    """Serve all, in the same steps on all ranks.

    Args:
        engine: of the rank.
        standing: what it stands on.
        asked: of it.
        seed: of what the device does next, the same on all ranks.
        at_once: whether the device does at once what it is given, and only tells of it later.
    """
    chance, device = random.Random(seed), standing.runtime
    ended, agreed = list[int](), engine.agreed

    def noted(own: int) -> int:
        ended.append(own)
        return agreed(own)

    engine.agreed = noted
    jobs = [engine.submit(task.prompt, task.new_tokens) for task in asked]
    moved = 0
    while not engine.is_idle:
        for _ in range(chance.randrange(4)):
            device.step(chance.randrange(8))
        engine.step()
        if at_once:
            device.run_all()
        if chance.random() < 0.2:
            device.run_all()
            while engine.flying:
                engine.poll()
            moved += compacted(standing)
    assert not standing.findings, standing.findings[0]
    standing.allocator.check()
    assert standing.runtime.host_waits == 0
    return Report([job.said for job in jobs], [_logits(job) for job in jobs], ended, engine.retractions, moved)


def compacted(standing: Standing) -> int:
    """Move whatever can move; returns bytes."""
    return standing.allocator.compact(1 << 40)


def _logits(job: Job) -> npt.NDArray[np.float64]:
    assert job.done
    assert not job.rejected
    found: npt.NDArray[np.float64] = torch.stack(job.logits).numpy()
    return found


def furthest(layout: Layout, asked: list[Task], reports: list[Report]) -> float:
    """The largest difference, on any rank, of any logit from what it is on dense memory in one process."""
    worst = 0.0
    for report in reports:
        assert len(report.said) == len(asked)
        for task, said, logits in zip(asked, report.said, report.logits, strict=True):
            known, right = said_alone(layout, task)
            if tuple(said) != known:
                return float("inf")
            worst = max(worst, float(np.nan_to_num(np.abs(logits - right.numpy()).max(), nan=np.inf)))
    return worst


def is_right(layout: Layout, asked: list[Task], reports: list[Report]) -> bool:
    """Whether all ranks say what one process says on dense memory."""
    return furthest(layout, asked, reports) < TOLERANCE


# ------------------------------------------------------------------------------------------------------------ tensor


def by_heads(group: Group, pattern: str, asked: list[Task], seed: int) -> Report:
    """Serve with tensor parallelism in an arena too small for all."""
    layout = tiny(pattern, options(tp_size=group.rank.of))
    standing = stand(group, layout, room_for(layout, 24, states=2), seed)
    engine = tensor_parallel(group, tiny(pattern), standing.allocator, standing.device, POLICY)
    return drive(engine, standing, asked, seed)


# ------------------------------------------------------------------------------------------------------------ stages


def by_layers(group: Group, layout: Layout, first: list[int], asked: list[Task], seed: int, tight: int) -> Report:
    """Serve in stages, of which one has too little room for all, and the others have plenty."""
    number = group.rank.number
    stage = stage_layouts(layout, first)[number]
    standing = stand(
        group, stage, room_for(stage, 24 if number == tight else 200, states=2 + 6 * (number != tight)), seed
    )
    engine = pipelined(group, stage, standing.allocator, standing.device, POLICY)
    return drive(engine, standing, asked, seed, at_once=True)


class Refused(NamedTuple):
    """What came of a demand for which one stage had no room.

    Attributes:
        own: whether it would have been met here.
        reason: that was given here.
        unchanged: whether all is as it was before.
        admitted: whether half as much was then admitted.
    """

    own: bool
    reason: str
    unchanged: bool
    admitted: bool


def refused_by_one(group: Group, layout: Layout, first: list[int]) -> Refused:
    """A demand for which only the last stage has no room."""
    number, last = group.rank.number, group.rank.of - 1
    stage = stage_layouts(layout, first)[number]
    standing = stand(group, stage, room_for(stage, 40 if number == last else 4000), 1)
    witness = Witness(standing.allocator, layout=False)
    allocator = Conjunction(witness, Agreement(group, witness.said))
    # the pages of full attention that end with the last stage's arena, and those below
    most = group.numbers([allocator.chain.top])[last][0]
    demand = [most * (name == "full") for name in allocator.chain.names]
    own = not isinstance(standing.allocator.plan(demand), Refusal)
    before = standing.allocator.snapshot()
    refusal = allocator.allocate(demand)
    assert isinstance(refusal, Refusal)
    unchanged = standing.allocator.snapshot() == before
    given = allocator.allocate([count // 4 for count in demand])
    assert not standing.findings
    return Refused(own, refusal.reason, unchanged, isinstance(given, Grant))


# ------------------------------------------------------------------------------------------------------------ tokens


def by_tokens(group: Group, layout: Layout, asked: list[Task], seed: int, policy: Policy = POLICY) -> Report:
    """Serve with decode context parallelism, in an arena too small for all."""
    tokens = max(8, 24 // group.rank.of)
    standing = stand(group, layout, room_for(layout, tokens, states=2), seed)
    engine = context_parallel(group, layout, standing.allocator, standing.device, policy)
    return drive(engine, standing, asked, seed)


# ---------------------------------------------------------------------------------------------------------- requests


def by_requests(group: Group, pattern: str, asked: list[list[Task]], seed: int) -> Report:
    """Serve jobs of this rank's own, in an arena too small for all of them."""
    layout = tiny(pattern)
    standing = stand(group, layout, room_for(layout, 24, states=2), seed)
    rank = data_parallel(group, layout, standing.allocator, standing.device, POLICY)
    chance, device = random.Random(f"{seed} {group.rank.number}"), standing.runtime
    jobs = [rank.engine.submit(task.prompt, task.new_tokens) for task in asked[group.rank.number]]
    moved = steps = 0
    while rank.step(device.run_all):
        steps += not rank.engine.is_idle
        if chance.random() < 0.2:
            while rank.engine.flying:
                rank.engine.poll()
            moved += compacted(standing)
    assert not standing.findings, standing.findings[0]
    standing.allocator.check()
    return Report([job.said for job in jobs], [_logits(job) for job in jobs], [steps], rank.engine.retractions, moved)


# -------------------------------------------------------------------------------------------------------- processes


def listens_at(group: Group) -> list[str]:
    """The addresses at which this process can be connected to, in the kernel's words."""
    own = {os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_open(name)}
    lines = [
        line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]
    ]
    group.numbers([len(lines)])
    return [line[1].split(":")[0] for line in lines if line[3] == LISTENING and f"socket:[{line[9]}]" in own]


def _is_open(name: str) -> bool:
    return Path(f"/proc/self/fd/{name}").is_symlink()


def dies(group: Group, steps: int) -> int:
    """Add up, until the last rank is gone in the middle."""
    for step in range(2 * steps):
        if step == steps and group.rank.number == group.rank.of - 1:
            os._exit(1)
        group.total(torch.ones(3))
    return steps


def lags(group: Group, steps: int) -> int:
    """Compare numbers, until the last rank no longer does."""
    for step in range(2 * steps):
        if step == steps and group.rank.number == group.rank.of - 1:
            time.sleep(3600)
        group.numbers([step])
    return steps
