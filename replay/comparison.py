"""Unified memory beside split pools, and beside the best split that hindsight finds for the very same traffic."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log

from replay.job import BEST, Job, Settings, split_job, unified_job
from replay.memory.ratios import Ratios, pages_by_shares
from replay.outcome import Outcome
from replay.traffic.traffic import Traffic
from replay.workers import Progress, Stop, run_all

SEARCH_REQUESTS = 2_000
"""Ratios are searched on the busiest stretch of so many requests."""
COARSE = (0.25, 0.4, 0.6, 0.8, 1.0, 1.25, 1.6, 2.5, 4.0)
FINE = (0.87, 0.93, 1.07, 1.15)
"""Factors by which a kind's share is tried, of what unified memory gave it when it gave most."""
ALIKE = 0.002
"""Throughputs that differ by less are taken to be the same, and first tokens decide."""
DOUBT = 1.25
"""The factor by which the cost model's constants may be wrong either way, when doubt is expressed."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the gain would be if the cost model were wrong."""

    least: float
    most: float
    """Output tokens per second, unified over best static, minus one."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer to what unified memory buys."""

    settings: Settings
    traffic: str
    requests: int
    longest: int
    unified: Outcome | None
    split: Outcome | None
    best: Outcome | None
    """None if it was not searched, or the search was interrupted."""
    searched: int = 0
    """Splits that were tried."""
    searched_on: int = 0
    """Requests."""
    doubt: Doubt | None = None
    interrupted: bool = False


def compared(
    settings: Settings,
    traffic: Traffic,
    ratios: Ratios,
    workers: int,
    stop: Stop,
    *,
    search: bool = True,
    first: Job | None = None,
    report: Callable[[str, Progress], None] = lambda what, progress: None,
) -> Comparison:
    """Run the traffic on both memories, search the best split, and express doubt.

    Args:
        settings: the same for all.
        traffic: requests.
        ratios: of the split pools.
        workers: processes.
        stop: as `run_all`.
        search: whether the best static split is wanted.
        first: the job of the arena, if it is not the plain one.
        report: told what is going on, and how far it is.
    """

    def run(what: str, jobs: Sequence[tuple[Job, Traffic]]) -> list[Outcome | None]:
        return run_all(jobs, workers, stop, lambda progress: report(what, progress))

    jobs = [first or unified_job(settings), split_job(settings, ratios)]
    unified, split = run("unified and split", [(job, traffic) for job in jobs])
    answer = Comparison(settings, traffic.name, len(traffic), traffic.longest, unified, split, None)
    if not search or stop.asked or unified is None or split is None:
        return replace(answer, interrupted=stop.asked)
    part = traffic.busiest(SEARCH_REQUESTS)
    best, tried = _searched(settings, part, unified, split, run)
    answer = replace(answer, searched=tried, searched_on=len(part))
    if best is None or stop.asked:
        return replace(answer, interrupted=True)
    outcomes = run("best static", [(best, traffic)]) + run("doubt", _doubtful(settings, best, part))
    static = outcomes[0]
    if static is not None and better(split, static):
        static = replace(split, memory=BEST)
    return replace(answer, best=static, doubt=_doubt_of(outcomes[1:]), interrupted=stop.asked)


def better(one: Outcome, other: Outcome) -> bool:
    """Whether an operator would rather have one than the other."""
    return _merit(one) < _merit(other)


def gain(unified: Outcome, other: Outcome) -> float:
    """The gain in output tokens per second, as a share."""
    return unified.output_per_second / other.output_per_second - 1 if other.output_per_second else 0.0


def _merit(outcome: Outcome) -> tuple[int, int, float]:
    rate = outcome.output_per_second
    return outcome.rejected, -round(log(rate) / ALIKE) if rate else 0, outcome.first_token_p99


def _searched(
    settings: Settings,
    part: Traffic,
    unified: Outcome,
    split: Outcome,
    run: Callable[[str, Sequence[tuple[Job, Traffic]]], list[Outcome | None]],
) -> tuple[Job | None, int]:
    """The best split for a part of the traffic, one kind's share after the other, coarse and then fine."""
    layout, budget = settings.layout, settings.arena_bytes
    start = [max(float(size), 1.0) for size in unified.peak_bytes]
    tried: dict[tuple[int, ...], Outcome] = {}
    shares, best = start, split.pools
    for number, factors in enumerate((COARSE, FINE)):
        for band in range(len(shares) - 1):
            candidates = {
                pages_by_shares(layout, budget, each): each
                for each in ([*shares[:band], shares[band] * factor, *shares[band + 1 :]] for factor in factors)
            }
            if not number and not band:
                candidates[split.pools] = [
                    float(pages * kind.page_bytes) for pages, kind in zip(split.pools, layout.kinds, strict=True)
                ]
            new = [pools for pools in candidates if pools not in tried]
            outcomes = run("searching the best split", [(Job(BEST, settings, pools), part) for pools in new])
            for pools, outcome in zip(new, outcomes, strict=True):
                if outcome is None or outcome.interrupted:
                    return None, len(tried)
                tried[pools] = outcome
            best = min(tried, key=lambda pools: _merit(tried[pools]))
            shares = candidates.get(best, shares)
    return Job(BEST, settings, best), len(tried)


def _doubtful(settings: Settings, best: Job, part: Traffic) -> list[tuple[Job, Traffic]]:
    jobs = []
    for memory, compute in ((DOUBT, 1 / DOUBT), (1 / DOUBT, DOUBT)):
        constants = replace(
            settings.constants,
            memory_share=min(1.0, settings.constants.memory_share * memory),
            compute_share=min(1.0, settings.constants.compute_share * compute),
            step_seconds=settings.constants.step_seconds * compute,
        )
        changed = replace(settings, constants=constants)
        jobs += [(unified_job(changed), part), (replace(best, settings=changed), part)]
    jobs += [(unified_job(settings), part), (best, part)]
    return jobs


def _doubt_of(outcomes: Sequence[Outcome | None]) -> Doubt | None:
    gains = [
        gain(one, other)
        for one, other in zip(outcomes[::2], outcomes[1::2], strict=True)
        if one is not None and other is not None and not (one.interrupted or other.interrupted)
    ]
    return Doubt(min(gains), max(gains)) if len(gains) == 3 else None
