"""What a run came to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replay.engine.engine import Engine
from replay.engine.timeline import Sample
from replay.memory.protocol import Memory
from replay.traffic.traffic import Floats


@dataclass(frozen=True, slots=True)
class Outcome:
    """Figures of one memory under one traffic. Times are seconds of the replayed clock, sizes bytes."""

    memory: str
    """unified, split or best static."""
    kinds: tuple[str, ...]
    pools: tuple[int, ...]
    """Pages of each pool; () for an arena."""
    ratios: dict[str, float]
    """The ratios that give these pools."""
    requests: int
    completed: int
    rejected: int
    interrupted: bool
    seconds: float
    output_tokens: int
    output_per_second: float
    first_token_median: float
    first_token_p99: float
    answer_median: float
    answer_p99: float
    most_running: int
    mean_running: float
    retractions: int
    retractions_per_thousand: float
    prefilled_tokens: int
    cached_tokens: int
    steps: int
    moved_bytes: int
    copied_bytes: int
    moving_seconds: float
    fragmentation: float
    """The mean over time of the share of free bytes that lie elsewhere than in the largest stretch."""
    idle_bytes: tuple[float, ...]
    """The mean over time of the bytes that only a kind could use and did not, of each kind."""
    used_bytes: tuple[float, ...]
    """The mean over time of the bytes of live pages, of each kind."""
    shared_bytes: float
    """The mean over time of free bytes that any kind could use."""
    peak_bytes: tuple[int, ...]
    """The bytes of each kind that were live when most was live."""
    capacity: int
    timeline: tuple[Sample, ...]
    wall_seconds: float = 0.0
    """That the replay itself took; the only figure that differs between two runs of the same seed."""


def outcome_of(
    name: str,
    engine: Engine,
    memory: Memory,
    requests: int,
    pools: Sequence[int],
    ratios: dict[str, float],
    wall_seconds: float = 0.0,
) -> Outcome:
    """The figures of an engine that has run."""
    tally, timeline = engine.tally, engine.timeline
    seconds = max(engine.now, 1e-9)
    first, answers = np.asarray(tally.first_tokens), np.asarray(tally.answers)
    return Outcome(
        memory=name,
        kinds=tuple(kind.name for kind in memory.kinds),
        pools=tuple(pools),
        ratios=ratios,
        requests=requests,
        completed=tally.completed,
        rejected=tally.rejected,
        interrupted=engine.interrupted,
        seconds=engine.now,
        output_tokens=tally.output,
        output_per_second=tally.output / seconds,
        first_token_median=_quantile(first, 0.5),
        first_token_p99=_quantile(first, 0.99),
        answer_median=_quantile(answers, 0.5),
        answer_p99=_quantile(answers, 0.99),
        most_running=tally.most_running,
        mean_running=tally.running_area / max(tally.seconds, 1e-9),
        retractions=tally.retractions,
        retractions_per_thousand=1000 * tally.retractions / max(1, tally.completed),
        prefilled_tokens=tally.prefilled,
        cached_tokens=tally.cached,
        steps=tally.steps,
        moved_bytes=memory.moved_bytes,
        copied_bytes=memory.copied_bytes,
        moving_seconds=tally.moving_seconds,
        fragmentation=timeline.mean(timeline.fragmentation_sum),
        idle_bytes=tuple(map(timeline.mean, timeline.idle_sum)),
        used_bytes=tuple(map(timeline.mean, timeline.used_sum)),
        shared_bytes=timeline.mean(timeline.shared_sum),
        peak_bytes=timeline.peak,
        capacity=memory.capacity,
        timeline=tuple(timeline.samples),
        wall_seconds=wall_seconds,
    )


def _quantile(values: Floats, share: float) -> float:
    return float(np.quantile(values, share)) if values.size else 0.0
