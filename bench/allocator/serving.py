"""A small engine that decodes: it keeps each request's pages and asks the allocator for what the next token needs.

Written twice: one request after the other, and all of them at once.
"""

from collections import deque
from typing import Final

import numpy as np

from bench.allocator.arenas import granted
from impl.allocator import Allocator
from impl.numbers import Int64
from impl.recording import RecordedAllocator

STATE, WINDOW_BAND, FULL = range(3)

PAGE: Final = 16
"""Tokens in a page."""
WINDOW: Final = 64
"""Tokens of the window."""
KEPT: Final = WINDOW // PAGE + 1
"""Pages that a window can touch."""


class Request:
    """A request that looks after itself.

    Args:
        allocator: of a state, a window and a full band.
        tokens: with which it begins.
    """

    def __init__(self, allocator: Allocator, tokens: int) -> None:
        pages = -(-tokens // PAGE)
        ids = granted(allocator.allocate((1, KEPT, pages))).ids
        self._allocator, self._tokens, self._room = allocator, tokens, pages * PAGE
        self._state = ids[STATE]
        self._window = deque(ids[WINDOW_BAND][place : place + 1] for place in range(KEPT))
        self._full = [ids[FULL]]

    def step(self) -> None:
        """One more token."""
        self._tokens += 1
        if self._tokens > self._room:
            ids = granted(self._allocator.allocate((0, 1, 1))).ids
            self._full.append(ids[FULL])
            self._window.append(ids[WINDOW_BAND])
            self._allocator.release(WINDOW_BAND, self._window.popleft())
            self._room += PAGE

    def finish(self) -> None:
        """Give everything back."""
        self._allocator.release(STATE, self._state)
        self._allocator.release(WINDOW_BAND, np.concatenate(self._window))
        self._allocator.release(FULL, np.concatenate(self._full))


class Batch:
    """Requests that are decoded together.

    Args:
        allocator: of a state, a window and a full band.
        requests: how many.
        context: tokens of the first; each has one more than the one before, so that pages run full at any time.
        steps: how many it will take at most.
    """

    def __init__(self, allocator: Allocator | RecordedAllocator, requests: int, context: int, steps: int) -> None:
        self.allocator = allocator
        self.tokens = context + np.arange(requests)
        most = -(-(context + requests + steps) // PAGE)
        self._window: Int64 = np.empty((requests, KEPT), np.int64)
        self._full: Int64 = np.empty((requests, most), np.int64)
        self._every = np.arange(requests)
        pages = self.pages()
        ids = granted(allocator.allocate((requests, requests * KEPT, int(pages.sum())))).ids
        self.states = ids[STATE]
        self._window[:] = ids[WINDOW_BAND].reshape(requests, KEPT)
        self._full[np.arange(most) < pages[:, None]] = ids[FULL]

    def pages(self) -> Int64:
        """Pages of full attention that each request has."""
        pages: Int64 = -(-self.tokens // PAGE)
        return pages

    def step(self) -> None:
        """One more token for each request."""
        self.tokens += 1
        beginning = np.flatnonzero(self.tokens % PAGE == 1)
        if beginning.size:
            ids = granted(self.allocator.allocate((0, beginning.size, beginning.size))).ids
            column = self.tokens[beginning] // PAGE
            self._full[beginning, column] = ids[FULL]
            oldest = column % KEPT
            self.allocator.release(WINDOW_BAND, self._window[beginning, oldest])
            self._window[beginning, oldest] = ids[WINDOW_BAND]

    def tails(self, band: int) -> Int64:
        """The page of each request to which the newest token is written."""
        column = (self.tokens - 1) // PAGE
        tails: Int64 = self._full[self._every, column] if band == FULL else self._window[self._every, column % KEPT]
        return tails

    def context(self, band: int) -> Int64:
        """All pages of all requests."""
        if band == WINDOW_BAND:
            return self._window.ravel()
        context: Int64 = self._full[np.arange(self._full.shape[1]) < self.pages()[:, None]]
        return context

    def finish(self) -> None:
        """Give everything back."""
        self.allocator.release(STATE, self.states)
        for band in (WINDOW_BAND, FULL):
            self.allocator.release(band, self.context(band))


class Pipeline:
    """Decodes a batch with a forward always in flight, whose ticket holds what it uses.

    Args:
        batch: to decode.
        whole: whether a ticket holds all that its forward reads, or only what it writes.
    """

    def __init__(self, batch: Batch, whole: bool) -> None:
        self._batch, self._whole, self._in_flight = batch, whole, -1

    def step(self) -> None:
        """The next forward is launched, then the one before it is seen to be complete."""
        batch, allocator = self._batch, self._batch.allocator
        batch.step()
        ticket = allocator.open("forward", "main")
        allocator.hold(ticket, STATE, batch.states, "write")
        for band in (WINDOW_BAND, FULL):
            allocator.hold(ticket, band, batch.tails(band), "write")
            if self._whole:
                allocator.hold(ticket, band, batch.context(band), "read")
        self.land()
        self._in_flight = ticket

    def land(self) -> None:
        """The forward in flight, if there is one, completes."""
        if self._in_flight >= 0:
            self._batch.allocator.complete(self._in_flight)
            self._in_flight = -1
