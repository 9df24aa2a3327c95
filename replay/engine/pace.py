"""How long steps take, and how many can be taken at once."""

from typing import NamedTuple

import numpy as np

from replay.cost.step import Chunk, StepCost
from replay.engine.situation import Situation
from replay.engine.tally import BrokenLaw


class Paced(NamedTuple):
    """Some steps in a row."""

    steps: int
    seconds: float
    """The seconds of all of them."""
    last: float
    """Seconds of the last."""


class Pace:
    """Times of steps, on a device and a host that take turns, or overlap."""

    def __init__(self, cost: StepCost, situation: Situation, lag: int) -> None:
        self._cost, self._situation, self._lag = cost, situation, lag

    def with_prompts(self, chunks: list[Chunk], moving: float) -> Paced:
        """One step that computes these stretches beside the tokens of those that decode.

        Args:
            chunks: stretches of prompts.
            moving: seconds that the device spends on copies first.
        """
        batch, cost = self._situation.batch, self._cost
        device = cost.step(batch.requests, batch.contexts(self._situation.step), cost.prefill(chunks)) + moving
        seconds = self._took(device, self._host())
        return Paced(1, seconds, seconds)

    def decoding(self, coming: float | None, most: int | None, moving: float) -> Paced:
        """All steps until something is due, or somebody who comes is seen.

        Args:
            coming: when the next request arrives, in seconds; None if none does by itself.
            most: steps; None for any number.
            moving: as `with_prompts`.
        """
        situation, cost = self._situation, self._cost
        step, batch, due = situation.step, situation.batch, situation.calendar.next
        if due is None:
            raise BrokenLaw("requests decode of which none is ever to end")
        count = due - step if most is None else min(due - step, most)
        contexts = batch.contexts(step)
        first = self._took(cost.step(batch.requests, contexts, (0, 0.0)) + moving, self._host())
        if count == 1:
            return Paced(1, first, first)
        usual = cost.host(len(situation.running), pages=False)
        device = cost.steps(count, batch.requests, contexts, batch.growing(), (0, 0.0))
        times = np.maximum(device, usual) if self._lag else device + usual
        times[0] = first
        ends = np.cumsum(times)
        if coming is not None:
            # an arrival is seen when a step is prepared, which with overlap is as the one before it begins
            late = coming - situation.now
            count = min(count, int(np.searchsorted(ends, late)) + 1 + self._lag) if late > 0 else 1
        return Paced(count, float(ends[count - 1]), float(times[count - 1]))

    def _host(self) -> float:
        return self._cost.host(len(self._situation.running), pages=self._situation.changed)

    def _took(self, device: float, host: float) -> float:
        return max(device, host) if self._lag else device + host
