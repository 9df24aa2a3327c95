"""Traffic that is stated instead of recorded: by name, with lengths, a number of requests, and how they arrive."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from replay.errors import ReplayError
from replay.traffic.traffic import Ints, Traffic


@dataclass(frozen=True, slots=True)
class Mix:
    """Lengths of requests, and how many clients send them."""

    says: str
    prompt: int
    """Tokens; the mean where `spread` is above 0."""
    output: int
    requests: int
    concurrency: int | None = None
    """Clients that wait for their answers; None for as many as there are requests."""
    spread: float = 0.0
    """Standard deviation of the logarithm of both lengths."""


MIXES: Final = {
    "published-1k": Mix("1,024 in, 256 out, 64 at once", 1_024, 256, 1_024, 64),
    "published-most": Mix("1,024 in, 256 out, as many at once as memory holds", 1_024, 256, 4_096),
    "published-16k": Mix("16 K in, 4,096 out, 64 at once", 16_384, 4_096, 256, 64),
    "published-long-output": Mix("512 in, 16,384 out, 51 at once", 512, 16_384, 204, 51),
    "long-context": Mix("around 32 K in and 512 out, 64 at once", 32_768, 512, 512, 64, 0.5),
    "short": Mix("around 256 in and 128 out, 256 at once", 256, 128, 8_192, 256, 0.7),
    "high-concurrency": Mix("around 1 K in and 512 out, 2,048 at once", 1_024, 512, 8_192, 2_048, 0.5),
}


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
