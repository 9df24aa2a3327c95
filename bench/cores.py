"""The same on every core at once, as the processes of a campaign do it: how often per second, by the clock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final, TypeAlias

import torch

from crew.local import LocalCrew, local
from crew.words import Failed

PRELOADED: Final = ("fuzz.campaign.preloaded",)
"""What every process has imported, as in a campaign."""

Doing: TypeAlias = Callable[[int, int], int]
"""Does something so often at least, with choices from a seed: the seed, how often; and how often it did."""


@dataclass(frozen=True)
class Job:
    """What one process does."""

    doing: Doing
    seed: int
    times: int


@dataclass(frozen=True)
class Part:
    """What came of it: how often it was done, and between which moments of the machine's clock, in seconds."""

    done: int
    begun: float
    over: float


class AllCores:
    """Processes, one for each core."""

    def __init__(self, crew: LocalCrew[Job, Part]) -> None:
        self._crew = crew

    def per_second(self, doing: Doing, seed: int, times: int) -> float:
        """What all of them do together, each so often with a seed of its own, per second until the last is done.

        Raises:
            AssertionError: one of them has no result.
        """
        parts = self._parts(doing, seed, times)
        return sum(part.done for part in parts) / (max(part.over for part in parts) - min(part.begun for part in parts))

    def warm_up(self) -> None:
        """Let every process be there."""
        self._parts(_nothing, 0, 0)

    def _parts(self, doing: Doing, seed: int, times: int) -> list[Part]:
        cores = self._crew.size
        for core in range(cores):
            self._crew.give(Job(doing, cores * seed + core, times))
        ended = [self._crew.take() for _ in range(cores)]
        parts = []
        for each in ended:
            assert each is not None, "it was waited for"
            assert not isinstance(each, Failed), f"what is measured must hold: {each.problem}"
            parts.append(each.result)
        return parts


@contextmanager
def all_cores(count: int) -> Iterator[AllCores]:
    """Processes on so many cores; they are gone when the block ends."""
    with local(_part, count, preload=PRELOADED) as crew:
        cores = AllCores(crew)
        cores.warm_up()
        yield cores


def _part(job: Job) -> Part:
    torch.set_num_threads(1)
    begun = monotonic()
    done = job.doing(job.seed, job.times)
    return Part(done, begun, monotonic())


def _nothing(seed: int, times: int) -> int:
    return 0
