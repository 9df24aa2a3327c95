"""The memory as requests meet it: prefixes that nobody uses give way to them."""

from collections.abc import Sequence

from replay.engine.prefixes import Prefixes
from replay.engine.situation import Situation
from replay.memory.protocol import Demand, Memory


class Supply:
    """Asks the memory for pages, and gives them back."""

    def __init__(self, memory: Memory, prefixes: Prefixes | None, situation: Situation) -> None:
        self._memory, self._prefixes, self._situation = memory, prefixes, situation

    def ask(self, demand: Demand, originals: Sequence[list[int]] | None = None) -> list[list[int]] | None:
        """Pages, for which prefixes that nobody uses give way; None if that is not enough."""
        self._situation.changed = True
        while True:
            given = self._memory.allocate(demand, originals)
            if isinstance(given, list):
                return given
            if self._prefixes is None or not self._prefixes.evict(given.evict or [1] * len(demand)):
                return None
            self._situation.freed = True

    def give_back(self, gone: Sequence[list[int]]) -> None:
        """Give back pages of each kind, which the forward in flight may still use."""
        for band, ids in enumerate(gone):
            if ids:
                self._memory.release(band, ids, in_flight=True)
                self._situation.freed = self._situation.changed = True
