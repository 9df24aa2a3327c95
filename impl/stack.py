"""A stack of numbers in one preallocated array."""

import numpy as np

from impl.numbers import NOTHING, Int64


class Stack:
    """Numbers, the last pushed on top. Pushing and popping a batch is one copy.

    Memory that was never touched is never paged in, so a deep stack that stays shallow costs nothing.
    """

    __slots__ = ("_depth", "_items")

    def __init__(self, capacity: int) -> None:
        self._items: Int64 = np.empty(capacity, np.int64)
        self._depth = 0

    def __len__(self) -> int:
        return self._depth

    def push(self, items: Int64) -> None:
        """Put items on top, the last one uppermost."""
        depth = self._depth + items.size
        self._items[self._depth : depth] = items
        self._depth = depth

    def peek(self, count: int) -> Int64:
        """A view of the uppermost items, at most `count`, from the top down."""
        depth = self._depth
        return self._items[max(0, depth - count) : depth][::-1]

    def drop(self, count: int) -> None:
        """Forget the uppermost items."""
        self._depth -= count

    def pop(self, count: int) -> Int64:
        """Take the uppermost items, from the top down; there must be as many."""
        if not count:
            return NOTHING
        depth = self._depth
        self._depth = depth - count
        return self._items[depth - count : depth][::-1].copy()
