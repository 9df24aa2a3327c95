"""Engines with a host tier below their prefix cache, every record of both allocators judged."""

import random
from pathlib import Path

from fuzz.serving.hosting import INTERVAL, POLICY, Hosted, serve_hosted
from impl.layout import Layout
from impl.serving.engine.model import VOCABULARY
from tests.serving.running import Task, drive, furthest, quiet, room_for

__all__ = [
    "INTERVAL",
    "POLICY",
    "Hosted",
    "damage",
    "large",
    "nothing_is_lost",
    "rounds",
    "say",
    "serve_hosted",
    "small",
]


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
