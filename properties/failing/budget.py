"""How much help may cost."""

import time
from dataclasses import dataclass, field

from properties.limits import Limits

SECONDS = 20.0
"""Seconds of processor time for all that is said of one run."""

QUESTION = Limits(seconds=5.0)
"""The limits of one question to a solver: those that matter take a tenth of a second."""


class Spent(Exception):
    """The budget is spent."""


@dataclass
class Budget:
    """Processor time of this process, from now on."""

    seconds: float
    began: float = field(default_factory=time.process_time)

    @property
    def is_spent(self) -> bool:
        """There is nothing left of it."""
        return time.process_time() - self.began >= self.seconds

    def part(self, fraction: float) -> "Budget":
        """A budget of its own, with a fraction of what is left of this one."""
        return Budget(max(0.0, self.seconds - (time.process_time() - self.began)) * fraction)

    def check(self) -> None:
        """Go on only if something is left.

        Raises:
            Spent: nothing is.
        """
        if self.is_spent:
            raise Spent
