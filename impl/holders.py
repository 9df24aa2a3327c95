"""Who uses the pages of one band: counts of holders, and what the allocator's own stream may still do with each."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from impl.numbers import NOTHING, Int64, Sieve, largest, smallest

NONE: Final = 0
READ: Final = 1
WRITE: Final = 2
"""How a ticket holds a page, or what the allocator's stream may still do with it; a larger number is stronger."""

# as an array, since numpy takes twice as long where it has to convert a number first
_ONE: Final = np.array(1, np.int32)


@dataclass(slots=True)
class Holding:
    """What one ticket holds of one band."""

    lo: int
    hi: int
    """Its pages lie in lo <= page < hi."""
    pages: list[Int64] = field(default_factory=list)
    """Batches of pages, none of them twice."""
    written: list[Int64] = field(default_factory=list)
    """Those of them that are held for writing, in batches."""
    interrupted: bool = False
    """Whether another ticket was given pages of the band between two batches of this one."""

    def all_pages(self) -> Int64:
        """Every page once."""
        return _joined(self.pages)

    def all_written(self) -> Int64:
        """Every page that is held for writing, once."""
        return _joined(self.written)


class Holders:
    """Per page of one band: how many tickets hold it, how many for writing, and what is queued on it."""

    __slots__ = ("_last_ticket", "_latest", "_on_queue", "_sieve", "entries", "holders", "queued", "writers")

    def __init__(self, limit: int, sieve: Sieve) -> None:
        self.entries = 0
        """Pages held, counted once for each ticket."""
        self.holders: npt.NDArray[np.int32] = np.zeros(limit, np.int32)
        self.writers: npt.NDArray[np.int32] = np.zeros(limit, np.int32)
        self.queued: npt.NDArray[np.uint8] = np.zeros(limit, np.uint8)
        self._on_queue: list[Int64] = []
        # one more than the ticket that was given the page last; 0 before the first
        self._latest: Int64 = np.zeros(limit, np.int64)
        self._last_ticket = -1
        self._sieve = sieve

    # ----------------------------------------------------------------------------------------------------- holdings

    def used_by_others(self, pages: Int64, mode: int, holding: Holding | None) -> Int64:
        """The pages that somebody holds in conflict with this mode; the ticket's own holding is left out of account."""
        counts = (self.holders if mode == WRITE else self.writers)[pages]
        if not np.count_nonzero(counts):
            return NOTHING
        if holding is not None:
            own = holding.all_pages() if mode == WRITE else holding.all_written()
            counts = counts - self.among(pages, own)
        return pages[counts > 0]

    def among(self, pages: Int64, others: Int64) -> npt.NDArray[np.bool_]:
        """Which of the pages are among the others, in time proportional to both."""
        return self._sieve.among(pages, others)

    def freed_by(self, batches: Sequence[Int64]) -> Int64:
        """Of the pages that some tickets hold, one batch of each ticket's: those that nobody else holds, each once."""
        pages, named = (batches[0], _ONE) if len(batches) == 1 else self._sieve.counted(batches)
        freed: Int64 = pages[self.holders[pages] == named]
        return freed

    def are_held(self, pages: Int64) -> npt.NDArray[np.bool_]:
        """Which of the pages anybody holds."""
        return self.holders[pages].astype(np.bool_)

    def add(self, ticket: int, holding: Holding | None, pages: Int64, mode: int) -> Holding:
        """A ticket is given pages, which need not be distinct or new to it; its holding is changed or made."""
        pages = self._sieve.once(pages)
        if holding is None:
            holding = Holding(smallest(pages), largest(pages) + 1)
            new = pages
        else:
            holding.lo, holding.hi = min(holding.lo, smallest(pages)), max(holding.hi, largest(pages) + 1)
            holding.interrupted |= self._last_ticket != ticket
            new = pages[~self._has(ticket, holding, pages)]
        if new.size:
            self.holders[new] += _ONE
            self.entries += new.size
            holding.pages.append(new)
        if mode == WRITE:
            newly_written = pages if new.size == pages.size else pages[~self.among(pages, holding.all_written())]
            if newly_written.size:
                self.writers[newly_written] += _ONE
                holding.written.append(newly_written)
        self._latest[pages] = ticket + 1
        self._last_ticket = ticket
        return holding

    def _has(self, ticket: int, holding: Holding, pages: Int64) -> npt.NDArray[np.bool_]:
        # as long as no other ticket came in between, its own stamp is still on everything that it holds
        if holding.interrupted:
            return self.among(pages, holding.all_pages())
        stamped: npt.NDArray[np.bool_] = self._latest[pages] == ticket + 1
        return stamped

    def remove(self, holding: Holding) -> Int64:
        """A ticket retires; those of its pages that nobody else holds, each once."""
        pages = holding.all_pages()
        others = self.holders[pages] - _ONE
        self.holders[pages] = others
        if holding.written:
            self.writers[holding.all_written()] -= _ONE
        self.entries -= pages.size
        return pages[others == 0] if self.entries else pages

    # -------------------------------------------------------------------------------------------------------- queue

    def enqueue(self, pages: Int64, mode: int) -> None:
        """The allocator's stream may still do this with distinct pages; what is stronger stays."""
        before = self.queued[pages]
        new = pages[before == NONE] if np.count_nonzero(before) else pages
        if new.size:
            self._on_queue.append(new)
        self.queued[pages] = np.maximum(before, mode)

    def drain(self) -> None:
        """Nothing is queued any more."""
        for pages in self._on_queue:
            self.queued[pages] = NONE
        self._on_queue.clear()

    def count_queued(self) -> int:
        """How many pages something is queued on."""
        return sum(pages.size for pages in self._on_queue)

    @property
    def has_queue(self) -> bool:
        """Whether anything is queued on any page."""
        return bool(self._on_queue)

    def on_queue(self, mode: int) -> Int64:
        """The pages queued in this mode, rising."""
        if not self._on_queue:
            return NOTHING
        pages = _joined(self._on_queue)
        return np.sort(pages[self.queued[pages] == mode])


def _joined(batches: list[Int64]) -> Int64:
    if len(batches) == 1:
        return batches[0]
    return np.concatenate(batches) if batches else NOTHING
