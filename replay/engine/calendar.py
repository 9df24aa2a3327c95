"""What is due in which step. Steps in which nothing is due can be taken at once."""

from heapq import heappop, heappush
from typing import NamedTuple

from replay.engine.request import Served

SATURATE, FINISH, SLIDE, GROW = range(4)
"""A window is full; a request ends; a page has slid out of a window; the next token needs a page. In this order."""


class Due(NamedTuple):
    """Something that is due for a request."""

    what: int
    request: Served
    life: int
    band: int = -1


class Calendar:
    """What is due, by step."""

    def __init__(self) -> None:
        self._steps: list[int] = []
        self._due: dict[int, list[Due]] = {}

    @property
    def next(self) -> int | None:
        """The next step in which anything is due."""
        return self._steps[0] if self._steps else None

    def put(self, step: int, due: Due) -> None:
        """Something is due before a step is launched."""
        there = self._due.get(step)
        if there is None:
            self._due[step] = [due]
            heappush(self._steps, step)
        else:
            there.append(due)

    def take(self, step: int) -> list[Due]:
        """All that is due up to a step; what is void is among it."""
        due: list[Due] = []
        while self._steps and self._steps[0] <= step:
            due += self._due.pop(heappop(self._steps))
        due.sort(key=_order)
        return due


def _order(due: Due) -> int:
    return due.what
