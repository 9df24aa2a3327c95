"""A device whose ends are heard of late."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from impl.device.simulated.runtime import SimulatedRuntime


class Hesitant(SimulatedRuntime):
    """A simulated device of which the host hears late: each end is told after a number of questions, by chance.

    Those of a stream are told in order.

    Args:
        chance: of this rank.

    Attributes:
        is_frank: whether each end is told at once.
    """

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance, self.is_frank = chance, False
        # of each event its stream and its number there, and of each stream how many are told
        self._numbers: dict[Any, tuple[str, int]] = {}
        self._recorded, self._told = Counter[str](), Counter[str]()

    def record(self, stream: str) -> Any:
        """See `Runtime.record`."""
        event = super().record(stream)
        self._numbers[event] = stream, self._recorded[stream]
        self._recorded[stream] += 1
        return event

    def is_done(self, event: Any) -> bool:
        """See `Runtime.is_done`."""
        if event not in self._numbers:
            # a transfer's, of which a network tells
            return super().is_done(event)
        stream, number = self._numbers[event]
        is_told = number < self._told[stream]
        if not (is_told or self.is_frank) and self._chance.random() < 0.5:
            return False
        if not super().is_done(event):
            return False
        self._told[stream] = max(self._told[stream], number + 1)
        return True


@contextmanager
def frankly(runtime: Any) -> Iterator[None]:
    """Let a device, of whatever sort, tell of each end at once inside a `with` block."""
    if not isinstance(runtime, Hesitant):
        yield
        return
    before, runtime.is_frank = runtime.is_frank, True
    try:
        yield
    finally:
        runtime.is_frank = before
