"""Requests as they come, as arrays: a million of them are a few dozen megabytes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from replay.errors import ReplayError

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

LONGEST = 1 << 24
"""Tokens; no request has more, so that a slip in a file is found there and not in an arena that cannot hold it."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """Requests in order of arrival; all arrays have one element for each."""

    name: str
    arrivals: Floats
    """Seconds from the first; not falling. All zero for a closed loop."""
    prompts: Ints
    """Tokens, 1 or more."""
    outputs: Ints
    """Tokens, 1 or more."""
    prefixes: Sequence[Sequence[int]] | None = None
    """Of each request the names of its leading blocks of `block_tokens` tokens. Equal names are equal prefixes."""
    block_tokens: int = 512
    concurrency: int | None = None
    """For a closed loop: so many clients, each of which sends its next request when the last is answered."""

    def __post_init__(self) -> None:
        """Raise ReplayError for traffic without requests."""
        if not self.arrivals.size:
            raise ReplayError("TRAFFIC", self.name, "has no requests", "give a file with at least one")

    def __len__(self) -> int:
        return int(self.arrivals.size)

    @property
    def longest(self) -> int:
        """Tokens of the longest request, prompt and output."""
        return int((self.prompts + self.outputs).max())

    def faster(self, factor: float) -> "Traffic":
        """The same requests, arriving so many times as fast."""
        if not factor > 0:
            raise ReplayError("--speed", factor, "is no rate", "give a number above 0")
        if factor == 1:
            return self
        if not self.arrivals.any():
            problem = "changes nothing: these requests have no times of arrival"
            raise ReplayError("--speed", factor, problem, "leave it out, or give a mix a --rate")
        return replace(self, arrivals=self.arrivals / factor)

    def sampled(self, share: float, seed: int) -> "Traffic":
        """A share of the requests, drawn without replacement; arrival times stay."""
        if not 0 < share <= 1:
            raise ReplayError("--sample", share, "is no share", "give a number above 0 and up to 1")
        if share == 1:
            return self
        count = max(1, round(share * len(self)))
        kept = np.sort(np.random.default_rng(seed).choice(len(self), count, replace=False))
        return self._only(kept)

    def first(self, count: int) -> "Traffic":
        """The first requests."""
        return self if count >= len(self) else self._only(np.arange(count))

    def busiest(self, count: int) -> "Traffic":
        """The stretch of so many consecutive requests that asks for the most tokens per second."""
        if count >= len(self) or self.concurrency is not None:
            return self.first(count)
        tokens = np.concatenate(([0], np.cumsum(self.prompts + self.outputs)))
        starts = np.arange(len(self) - count + 1)
        seconds = self.arrivals[starts + count - 1] - self.arrivals[starts]
        rate = (tokens[starts + count] - tokens[starts]) / np.maximum(seconds, 1e-9)
        return self._only(np.arange(count) + int(rate.argmax()))

    def as_closed_loop(self, concurrency: int) -> "Traffic":
        """The same requests in the same order, from so many clients that wait for their answers."""
        if concurrency < 1:
            raise ReplayError("--concurrency", concurrency, "is no number of clients", "give 1 or more")
        return replace(self, arrivals=np.zeros(len(self)), concurrency=concurrency)

    def _only(self, kept: Ints) -> "Traffic":
        arrivals = self.arrivals[kept]
        prefixes = None if self.prefixes is None else [self.prefixes[index] for index in kept.tolist()]
        return replace(
            self,
            arrivals=arrivals - arrivals[0],
            prompts=self.prompts[kept],
            outputs=self.outputs[kept],
            prefixes=prefixes,
        )


def in_order(
    name: str,
    arrivals: Sequence[float],
    prompts: Sequence[int],
    outputs: Sequence[int],
    prefixes: Sequence[Sequence[int]] | None = None,
    block_tokens: int = 512,
) -> Traffic:
    """Traffic from rows in any order; arrival times count from the first."""
    times = np.asarray(arrivals, np.float64)
    order = np.argsort(times, kind="stable")
    times = times[order]
    return Traffic(
        name,
        times - (times[0] if times.size else 0.0),
        np.asarray(prompts, np.int64)[order],
        np.asarray(outputs, np.int64)[order],
        None if prefixes is None else [prefixes[index] for index in order.tolist()],
        block_tokens,
    )
