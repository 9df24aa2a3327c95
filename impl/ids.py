"""The virtual ids of one kind: which are in use, where they live, and how many references they have."""

import numpy as np

from impl.numbers import Int64
from impl.stack import Stack


class IdSpace:
    """Ids first <= id < limit, as many as the band has pages.

    That is enough: an id is either alive, and lives at a page of its own; or it died while tickets held its page, and
    the page is withheld from everybody else until they retire.
    """

    __slots__ = ("_recycled", "_unminted", "limit", "page_of", "references")

    def __init__(self, first: int, limit: int) -> None:
        self.limit = limit
        self.page_of: Int64 = np.zeros(limit, np.int64)
        self.references: Int64 = np.zeros(limit, np.int64)
        self._recycled = Stack(limit - first)
        self._unminted = first

    def mint(self, count: int) -> Int64:
        """Ids neither in use nor known to an outstanding ticket: those recycled last come first, then new ones."""
        recycled = min(count, len(self._recycled))
        ids = self._recycled.pop(recycled)
        if recycled == count:
            return ids
        fresh = self._unminted
        self._unminted = fresh + count - recycled
        assert self._unminted <= self.limit, "there are as many ids as pages"
        new = np.arange(fresh, self._unminted, dtype=np.int64)
        return np.concatenate((ids, new)) if recycled else new

    def recycle(self, ids: Int64) -> None:
        """The ids may be minted again."""
        self._recycled.push(ids)

    def mintable(self) -> Int64:
        """Every id that `mint` may give, in no order; for checks."""
        unminted = np.arange(self._unminted, self.limit, dtype=np.int64)
        return np.concatenate((self._recycled.peek(len(self._recycled)), unminted))
