"""Engines with a host tier below their prefix cache, every record of both allocators judged."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from events import records
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.at_once import AtOnceRuntime
from impl.device.simulated.runtime import SimulatedRuntime
from impl.layout import Layout
from impl.recording import RecordedAllocator
from impl.serving.engine.engine import Engine, Policy
from impl.serving.engine.model import VOCABULARY, Model
from impl.serving.host.cache import TieredCache, Write
from impl.serving.host.digests import fingerprint_of
from impl.serving.host.files import Files
from impl.serving.host.runtime import on_host
from spec.judge.judge import Judge
from spec.judge.verdict import Finding
from tests.serving.running import Served, Task, drive, furthest, quiet, room_for

POLICY = Policy(most_running=3, chunk=12, positions=48)
INTERVAL = 8


@dataclass(eq=False)
class Hosted(Served):
    """A `Served`, and the tier below it."""

    host: RecordedAllocator
    host_device: ArenaDevice[Any]
    cache: TieredCache


def serve_hosted(
    layout: Layout,
    arena_bytes: int,
    host_bytes: int,
    *,
    late: bool = True,
    write: Write = "through",
    folder: Path | None = None,
    identity: str = "tiny weights",
    policy: Policy = POLICY,
    interval: int = INTERVAL,
) -> Hosted:
    """An engine on a small arena, above a host arena of so many bytes, and above files if there is a folder."""
    runtime: Any = SimulatedRuntime() if late else AtOnceRuntime()
    findings: list[Finding] = []
    allocator, device = _judged(layout, arena_bytes, lambda chain: ArenaDevice(chain, runtime), findings)
    host, host_device = _judged(layout, host_bytes, on_host(runtime), findings)
    files = None if folder is None else Files(folder, fingerprint_of(layout, identity), host.chain.bands)
    caches: list[TieredCache] = []

    def cache(engine: Engine) -> TieredCache:
        caches.append(
            TieredCache(engine, allocator, device, host, host_device, interval=interval, write=write, files=files)
        )
        return caches[-1]

    model = Model(layout)
    engine = Engine(model, allocator, device, policy, cache)
    return Hosted(engine, model, layout, allocator, device, runtime, Judge(), findings, host, host_device, caches[0])


def _judged(
    layout: Layout, size: int, make: Callable[[Chain], ArenaDevice[Any]], findings: list[Finding]
) -> tuple[RecordedAllocator, ArenaDevice[Any]]:
    devices: list[ArenaDevice[Any]] = []
    judge = Judge()

    def device(chain: Chain) -> ArenaDevice[Any]:
        devices.append(make(chain))
        return devices[-1]

    def judged(record: records.AnyRecord) -> None:
        finding = judge.take(record)
        if finding is not None:
            findings.append(finding)

    return RecordedAllocator(Allocator(layout, size, device=device), judged), devices[0]


def rounds(seed: int, count: int = 3, times: int = 2) -> list[Task]:
    """Texts that go on alike and begin differently, each again and again with the others between and a new end."""
    rng = random.Random(seed)
    alike = [rng.randrange(VOCABULARY) for _ in range(16)]
    texts = [(first, *alike[: rng.randrange(12, 17)]) for first in range(count)]
    return [Task((*text, rng.randrange(VOCABULARY)), rng.randrange(2, 4)) for _ in range(times) for text in texts]


def say(hosted: Hosted, asked: list[Task], seed: int, at_a_time: int = 1) -> float:
    """Serve some tasks after the others; the largest difference of any logit."""
    rng, jobs = random.Random(seed), []
    for begin in range(0, len(asked), at_a_time):
        jobs += [hosted.engine.submit(task.prompt, task.new_tokens) for task in asked[begin : begin + at_a_time]]
        drive(hosted, rng)
    return furthest(hosted.layout, asked, jobs)


def nothing_is_lost(hosted: Hosted) -> None:
    """When all has landed, both arenas hold what the tiers keep and nothing else; and nothing once they are cleared."""
    quiet(hosted)
    assert not hosted.cache.copies.flying
    assert not hosted.allocator.outstanding()
    assert not hosted.host.outstanding()
    bands = range(len(hosted.layout.kinds))
    kept = sum(int(hosted.host.references(band).size) for band in bands)
    assert kept == len(hosted.cache.host_pages)
    hosted.host.check()
    hosted.cache.clear()
    for allocator in (hosted.allocator, hosted.host):
        assert not any(kind.live or kind.withheld for kind in allocator.statistics().kinds)
        allocator.check()
    assert not hosted.findings, hosted.findings[0]
    assert hosted.runtime.host_waits == 0


def small(layout: Layout) -> int:
    """Bytes of an arena in which one task has room, and hardly what another one left."""
    return room_for(layout, 32, states=3)


def large(layout: Layout) -> int:
    """Bytes of an arena in which everything has room."""
    return room_for(layout, 600, states=40)


def damage(folder: Path) -> int:
    """Turn a bit of each file's page; how many there are."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    for path in paths:
        content = bytearray(path.read_bytes())
        content[200] ^= 64
        path.write_bytes(content)
    return len(paths)
