"""Operations on memory: caches give way, pages move, tiers forget, files are damaged, and engines sleep."""

from pathlib import Path

from fuzz.engine.engine import pick
from fuzz.engine.operations import Draws
from fuzz.serving.hesitant import frankly
from fuzz.serving.operations import operation
from fuzz.serving.running import Served, quiet
from fuzz.serving.scene import Scene
from fuzz.serving.stage import Stage
from impl.misuse import Misuse
from impl.plan import Refusal
from impl.serving.prefix.cache import PrefixCache
from impl.serving.transfer.tickets import has_caught_up

MOST_EVICTED = 6
"""Pages in one operation."""

DAMAGES = ("a bit is turned", "its end is missing", "it is empty", "it is gone", "it is another's")
"""What becomes of a file."""


def is_cached(scene: Scene) -> bool:
    """Whether there is a prefix cache."""
    return bool(scene.interval)


def is_hosted(scene: Scene) -> bool:
    """Whether there is a host tier."""
    return bool(scene.host_tokens)


@operation(weight=4, is_of=is_cached)
def evict(stage: Stage, draws: Draws) -> str:
    """The prefix cache gives way by some pages of a kind."""
    refusal = _refusal(stage, draws)
    gave_way = stage.each(pick(stage.sides, draws[0]), lambda one: _prefix(one).give_way(refusal))
    return "gave way" if gave_way else "nothing to give"


@operation(weight=1, is_of=is_cached)
def forget(stage: Stage, draws: Draws) -> str:
    """The prefix cache lets go of everything, on the host as well; files stay."""
    served = pick(stage.sides, draws[0])
    had = sum(kind.live for kind in served.allocator.statistics().kinds)
    stage.each(served, lambda one: _prefix(one).clear())
    return "forgot" if sum(kind.live for kind in served.allocator.statistics().kinds) < had else "nothing to forget"


@operation(weight=3, is_of=is_hosted)
def drop_from_host(stage: Stage, draws: Draws) -> str:
    """The host tier gives way by some pages of a kind."""
    cache = pick(stage.hosted, draws[0]).cache
    return "gave way" if cache.host_pages.give_way(_refusal(stage, draws)) else "nothing to give"


@operation(weight=2, is_of=lambda scene: scene.files)
def tear_a_file(stage: Stage, draws: Draws) -> str:
    """A file, or each one, is changed, cut, emptied, removed, or put in another's place; the tiers may forget all."""
    paths = stage.paths
    if not paths:
        return "no file"
    for path in paths if draws[3] >> 9 & 1 else [pick(paths, draws[0])]:
        _damage(path, pick(DAMAGES, draws[1]), pick(paths, draws[2]), draws)
    if draws[3] >> 8 & 1:
        # so that it is asked for
        for hosted in stage.hosted:
            hosted.cache.clear()
    return "damaged"


def _damage(path: Path, damage: str, other: Path, draws: Draws) -> None:
    content = bytearray(path.read_bytes()) if path.exists() else bytearray()
    match damage:
        case "a bit is turned":
            if content:
                content[draws[2] % len(content)] ^= 1 << draws[3] % 8
                path.write_bytes(content)
        case "its end is missing":
            path.write_bytes(content[: draws[2] % (len(content) + 1)])
        case "it is empty":
            path.write_bytes(b"")
        case "it is gone":
            path.unlink(missing_ok=True)
        case _:
            other.write_bytes(content)


@operation(weight=1)
def compact(stage: Stage, draws: Draws) -> str:
    """Pages move into holes, up to so many bytes."""
    most = 1 << (10 + draws[1] % 12)
    moved = stage.each(pick(stage.sides, draws[0]), lambda one: one.allocator.compact(most))
    return "moved" if moved else "nothing moves"


@operation(weight=1)
def sleep(stage: Stage, draws: Draws) -> str:
    """The arena's bytes are given back and taken again, once nobody needs them; asked too early, it is rejected."""
    is_clean = draws[1] % 2 == 0
    return stage.each(pick(stage.sides, draws[0]), lambda one: _slept(one, is_clean=is_clean))


def _slept(served: Served, *, is_clean: bool) -> str:
    if is_clean and served.engine.is_idle:
        if served.engine.prefix is not None:
            served.engine.prefix.clear()
        with frankly(served.runtime):
            quiet(served)
            has_caught_up(served.allocator, served.device)
    try:
        served.allocator.release_memory()
    except Misuse:
        return "rejected"
    served.allocator.resume_memory()
    return "slept"


def _prefix(served: Served) -> PrefixCache:
    assert served.engine.prefix is not None, "it is cached"
    return served.engine.prefix


def _refusal(stage: Stage, draws: Draws) -> Refusal:
    """What lacks some pages of one kind."""
    bands = len(stage.scene.layout.kinds)
    band, count = draws[1] % bands, 1 + draws[2] % MOST_EVICTED
    evict = tuple(count if other == band else None for other in range(bands))
    return Refusal(tuple(count or 0 for count in evict), "evict", evict=evict)
