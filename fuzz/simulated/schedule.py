"""In which order a simulated device works: what it takes next, of all that could come next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SORTS: Final = (
    "any order",
    "as late as can be",
    "as soon as can be",
    "one stream starves",
    "transfers last",
    "transfers first",
)
"""How a device may work; from one operation to the next the order is any within what is said here."""

AT_ONCE: Final = 24
"""Pieces that are done between two operations where all is done as soon as can be."""


@dataclass(frozen=True)
class Schedule:
    """A sort of order, and a number that says which stream starves."""

    sort: str = SORTS[0]
    number: int = 0

    def pieces(self, usual: int) -> int:
        """How many pieces of work are done between two operations."""
        return {"as late as can be": 0, "as soon as can be": AT_ONCE}.get(self.sort, usual)

    def chosen(self, choice: int, agents: Sequence[str]) -> int:
        """Which of these agents gets on: a stream by its name, a transfer by one that begins with `transfer`."""
        places = [place for place, agent in enumerate(agents) if self._prefers(agent, agents)]
        return places[choice % len(places)] if places else choice % len(agents)

    def _prefers(self, agent: str, agents: Sequence[str]) -> bool:
        is_transfer = agent.startswith("transfer")
        if self.sort == "one stream starves":
            return agent != sorted(set(agents))[self.number % len(set(agents))]
        if self.sort == "transfers last":
            return not is_transfer
        return self.sort != "transfers first" or is_transfer
