"""The requests of a mix, drawn from a seed."""

import numpy as np

from replay.errors import ReplayError
from replay.traffic.mixes import MIXES
from replay.traffic.traffic import Ints, Traffic


def traffic_of(name: str, seed: int, requests: int | None = None, rate: float | None = None) -> Traffic:
    """The traffic of a mix.

    Args:
        name: of the mix.
        seed: of the lengths and of the arrivals.
        requests: how many; as many as the mix says if None.
        rate: requests per second, arriving as a Poisson process, instead of the mix's closed loop.

    Raises:
        ReplayError: no such mix, or numbers that are none.
    """
    mix = MIXES.get(name)
    if mix is None:
        raise ReplayError("TRAFFIC", name, "is neither a file nor a mix", f"mixes: {', '.join(MIXES)}")
    count = mix.requests if requests is None else requests
    if count < 1:
        raise ReplayError("--requests", count, "is no number of requests", "give 1 or more")
    draws = np.random.default_rng(seed)
    prompts, outputs = _lengths(mix.prompt, mix.spread, count, draws), _lengths(mix.output, mix.spread, count, draws)
    if rate is None:
        traffic = Traffic(name, np.zeros(count), prompts, outputs)
        return traffic if mix.concurrency is None else traffic.as_closed_loop(mix.concurrency)
    if not rate > 0:
        raise ReplayError("--rate", rate, "is no rate", "give requests per second, above 0")
    arrivals = np.cumsum(draws.exponential(1 / rate, count))
    return Traffic(name, arrivals - arrivals[0], prompts, outputs)


def _lengths(mean: int, spread: float, count: int, draws: np.random.Generator) -> Ints:
    if not spread:
        return np.full(count, mean, np.int64)
    drawn = draws.lognormal(np.log(mean) - spread**2 / 2, spread, count)
    return np.clip(np.rint(drawn), 1, 16 * mean).astype(np.int64)
