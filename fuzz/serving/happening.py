"""What happens on a stage besides what an operation came to, by name."""

from collections import Counter
from collections.abc import Iterable, Iterator

from fuzz.serving.running import Served
from fuzz.serving.stage import Stage

QUARANTINE = "in quarantine"


def take_note(stage: Stage) -> None:
    """Count on a stage what has happened since it was last asked."""
    now = events_of(stage)
    stage.events.update(happened(stage.seen, now))
    stage.seen = now


def events_of(stage: Stage) -> Counter[str]:
    """How often each thing has happened so far, or happens now."""
    now = _of_engines(stage.engines)
    beside = (*(["beside a draft"] if stage.guessing else []), *(["at an end of two"] if stage.both else []))
    for hosted in stage.hosted:
        cache = hosted.cache
        for where in ("", *(f" {name}" for name in beside)):
            now[f"backed up{where}"] += cache.backed_up
            now[f"loaded back{where}"] += cache.loaded
        now["a file is rejected"] += 0 if cache.files is None else cache.files.rejected
        now["the host gives way"] += hosted.host.statistics().refusals.get("evict", 0)
    for speculation in stage.guessing.values():
        engine = speculation.engine
        now["a guess is right"] += engine.accepted
        now["a guess is wrong"] += engine.guessed - engine.accepted
        now["a step is void"] += engine.voided
    if stage.ranks is not None:
        now[f"ranks that share out {stage.scene.shares} say the same"] = sum(want.is_over for want in stage.wants)
    if stage.both is not None:
        asked = [want.asked for want in stage.wants if want.asked is not None]
        now["a prompt is computed again"] = sum(each.recomputed for each in asked)
        now["a prompt has come"] = sum(each.job is not None and not each.recomputed for each in asked)
    return now


def happened(before: Counter[str], now: Counter[str]) -> Iterator[str]:
    """What has happened since."""
    for name, times in now.items():
        if times > before[name]:
            yield name
    if now[QUARANTINE] < before[QUARANTINE]:
        yield "a quarantine ends"


def _of_engines(sides: Iterable[Served]) -> Counter[str]:
    now: Counter[str] = Counter()
    for served in sides:
        statistics = served.allocator.statistics()
        now["a retraction"] += served.engine.retractions
        now["a prefix is used"] += 0 if served.engine.prefix is None else served.engine.prefix.hit_tokens
        now["two forwards in flight"] += len(served.engine.flying) > 1
        now["pages move"] += sum(kind.moved for kind in statistics.kinds)
        now["a page is copied before it is written"] += sum(kind.copied for kind in statistics.kinds)
        now["a ticket is settled"] += statistics.settled
        now["an eviction is asked for"] += statistics.refusals.get("evict", 0)
        now["a release is waited for"] += statistics.refusals.get("after-release", 0)
        now["the gate is closed"] += statistics.publishers
        now[QUARANTINE] += statistics.quarantined
    return now
