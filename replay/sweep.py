"""The same traffic under a grid of settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from replay.errors import ReplayError
from replay.job import Job, Settings, split_job, unified_job
from replay.memory.ratios import Ratios
from replay.outcome import Outcome
from replay.traffic.traffic import Traffic
from replay.workers import Progress, Stop, Workers, run_all

AXES: Final = ("swa", "mamba", "arena", "page")
"""`swa_full_tokens_ratio`, `mamba_full_memory_ratio`, bytes of the arena, tokens in a page."""
MOST: Final = 256
"""Runs."""


@dataclass(frozen=True, slots=True)
class Point:
    """One setting, and what it came to."""

    values: dict[str, float]
    outcome: Outcome


def swept(
    settings: Settings,
    traffic: Traffic,
    ratios: Ratios,
    axes: Mapping[str, Sequence[float]],
    workers: Workers,
    stop: Stop,
    report: Callable[[Progress], None] = lambda progress: None,
) -> list[Point]:
    """Both memories at every combination of values; an arena, to which ratios are nothing, once for each of the others.

    Raises:
        ReplayError: there would be more than `MOST` runs.
    """
    jobs: list[tuple[dict[str, float], Job]] = []
    for combination in product(*axes.values()):
        values = dict(zip(axes, combination, strict=True))
        options = settings.options
        if "page" in values:
            options = replace(options, page_tokens=int(values["page"]))
        here = replace(settings, options=options, arena_bytes=int(values.get("arena", settings.arena_bytes)))
        own = {name: value for name, value in values.items() if name in ("arena", "page")}
        if not any(known == own and not job.pools for known, job in jobs):
            jobs.append((own, unified_job(here)))
        swa, mamba = values.get("swa", ratios.swa_full_tokens), values.get("mamba", ratios.mamba_full_memory)
        jobs.append((values, split_job(here, Ratios(swa, mamba))))
    if len(jobs) > MOST:
        raise ReplayError("--sweep", len(jobs), f"is more than {MOST} runs", "give fewer values")
    outcomes = run_all([(job, traffic) for _, job in jobs], workers, stop, report)
    points = zip(jobs, outcomes, strict=True)
    return [Point(values, outcome) for (values, _), outcome in points if outcome is not None]
