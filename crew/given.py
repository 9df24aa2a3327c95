"""A job that is not over yet, as a crew keeps it."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic

from crew.words import J


@dataclass
class Given(Generic[J]):
    """A job, and the process that has it.

    Attributes:
        job: as it was given.
        tries: processes that were given it so far.
        until: when it is late, in seconds of `time.monotonic`.
    """

    job: J
    tries: int = 0
    until: float = float("inf")

    def begin(self, limit: float | None) -> None:
        """One more process is given it, and has so many seconds; None for as long as it takes."""
        self.tries += 1
        self.until = float("inf") if limit is None else time.monotonic() + limit

    @property
    def is_late(self) -> bool:
        """Whether its seconds are over."""
        return time.monotonic() >= self.until


def patience(until: float, begun: Iterable[Given[J]]) -> float | None:
    """Seconds to wait for these jobs: until one is late, and not beyond `until`; None for as long as it takes."""
    soonest = min([until, *(given.until for given in begun)])
    return None if soonest == float("inf") else max(0.0, soonest - time.monotonic())
