"""Engines with a host tier below their prefix cache, every record of both allocators judged."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from events import records
from fuzz.serving.running import Served
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.at_once import AtOnceRuntime
from impl.device.simulated.runtime import SimulatedRuntime
from impl.layout import Layout
from impl.recording import RecordedAllocator
from impl.serving.engine.engine import Engine, Policy
from impl.serving.engine.model import Model
from impl.serving.host.cache import TieredCache, Write
from impl.serving.host.digests import fingerprint_of
from impl.serving.host.files import Files
from impl.serving.host.runtime import on_host
from spec.judge.judge import Judge
from spec.judge.verdict import Finding

POLICY = Policy(most_running=3, chunk=12, positions=48)
INTERVAL = 8


@dataclass(eq=False)
class Hosted(Served):
    """A `Served`, and the tier below it."""

    host: RecordedAllocator
    host_device: ArenaDevice[Any]
    cache: TieredCache
    host_judge: Judge

    @property
    def judges(self) -> tuple[Judge, ...]:
        """See `Served.judges`."""
        return self.judge, self.host_judge


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
    model: Model | None = None,
    engine_of: Callable[..., Engine] = Engine,
) -> Hosted:
    """An engine on a small arena, above a host arena of so many bytes, and above files if there is a folder.

    `engine_of` makes another engine than `Engine`, and is given the same.
    """
    runtime: Any = SimulatedRuntime() if late else AtOnceRuntime()
    findings: list[Finding] = []
    judge, host_judge = Judge(), Judge()
    allocator, device = judged(layout, arena_bytes, lambda chain: ArenaDevice(chain, runtime), findings, judge)
    host, host_device = judged(layout, host_bytes, on_host(runtime), findings, host_judge)
    files = None if folder is None else Files(folder, fingerprint_of(layout, identity), host.chain.bands)
    caches: list[TieredCache] = []

    def cache(engine: Engine) -> TieredCache:
        caches.append(
            TieredCache(engine, allocator, device, host, host_device, interval=interval, write=write, files=files)
        )
        return caches[-1]

    model = model or Model(layout)
    engine = engine_of(model, allocator, device, policy, cache)
    own = engine, model, layout, allocator, device, runtime, judge, findings
    return Hosted(*own, host, host_device, caches[0], host_judge)


def judged(
    layout: Layout,
    size: int,
    make: Callable[[Chain], ArenaDevice[Any]],
    findings: list[Finding],
    judge: Judge | None = None,
) -> tuple[RecordedAllocator, ArenaDevice[Any]]:
    """An allocator of so many bytes whose every record is judged, and its device."""
    devices: list[ArenaDevice[Any]] = []
    judge = judge or Judge()

    def device(chain: Chain) -> ArenaDevice[Any]:
        devices.append(make(chain))
        return devices[-1]

    def take(record: records.AnyRecord) -> None:
        finding = judge.take(record)
        if finding is not None:
            findings.append(finding)

    return RecordedAllocator(Allocator(layout, size, device=device), take), devices[0]
