"""What a crew is, and how jobs end."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

J = TypeVar("J")
R = TypeVar("R")

TRIES: Final = 3
"""Processes that may die of a job before it is given up: one dies of its machine, three die of the job."""


class NoCrew(Exception):
    """There is nobody to do the work.

    Attributes:
        remedy: what to do about it, a clause.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


@dataclass(frozen=True)
class Done(Generic[J, R]):
    """A job and its result."""

    job: J
    result: R


@dataclass(frozen=True)
class Failed(Generic[J]):
    """A job that has no result.

    Attributes:
        job: as it was given.
        problem: the traceback of what it raised; or how often its process ended or was stopped, and how.
    """

    job: J
    problem: str


class Crew(Protocol[J, R]):
    """Processes that each do one job at a time."""

    @property
    def size(self) -> int:
        """The most jobs that are done at once."""

    @property
    def busy(self) -> int:
        """Jobs that were given and not yet taken back."""

    def give(self, job: J) -> None:
        """Have a job done; those that were given first are begun first."""

    def take(self, seconds: float | None = None) -> Done[J, R] | Failed[J] | None:
        """Wait until a job is over, in whatever order they end; None if none is after so many seconds.

        Raises:
            ValueError: none was given.
        """


def results(crew: Crew[J, R], jobs: Iterable[J]) -> Generator[Done[J, R] | Failed[J]]:
    """What comes of each job, as it comes; the next is asked for only when somebody is free to do it."""
    for job in jobs:
        crew.give(job)
        if crew.busy >= crew.size:
            yield _taken(crew)
    while crew.busy:
        yield _taken(crew)


def _taken(crew: Crew[J, R]) -> Done[J, R] | Failed[J]:
    ended: Any = crew.take()
    return ended  # type: ignore[no-any-return]  # without a limit of time something is taken
