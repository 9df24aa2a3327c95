"""What is counted while an engine runs, and the laws that the counts must obey whatever the traffic."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from replay.engine.request import Served

TOLERANCE = 1e-6
"""Relative, for sums of many times."""


class BrokenLaw(AssertionError):
    """Counts contradict each other: a fault of the replay, never of the traffic."""


@dataclass(slots=True)
class Tally:
    """Counts of steps beside counts of requests, made in different places, so that each checks the other."""

    steps: int = 0
    prefilled: int = 0
    """Tokens of prompts, and of outputs computed again, that steps computed."""
    decode_slots: int = 0
    """Places of decoding requests in steps."""
    seconds: float = 0.0
    """Seconds in which there was anything to do."""
    area: float = 0.0
    """Requests in the system, times seconds: of each step, and of what lies between steps and arrivals or answers."""
    running_area: float = 0.0
    most_running: int = 0
    moving_seconds: float = 0.0

    completed: int = 0
    rejected: int = 0
    retractions: int = 0
    cached: int = 0
    """Tokens that were found in the prefix cache."""
    finished_context: int = 0
    """The tokens of finished requests that were computed before their last decoding began."""
    dropped: int = 0
    """Tokens computed or found for requests that were then retracted."""
    output: int = 0
    """Tokens of finished requests' outputs."""
    slots_of_requests: int = 0
    """Steps in which requests decoded, as each of them counts."""
    sojourns: float = 0.0
    """Seconds from arrival to the last token, of all requests together."""
    first_tokens: "array[float]" = field(default_factory=lambda: array("d"))
    """Seconds from arrival to the first token, of each finished request."""
    answers: "array[float]" = field(default_factory=lambda: array("d"))
    """Seconds from arrival to the last token."""

    def stepped(self, count: int, seconds: float, decoding: int, active: int, inside: int) -> None:
        """Some steps in a row, with so many requests that decode, that run, and that are in the system."""
        self.steps += count
        self.decode_slots += decoding * count
        self.area += seconds * inside
        self.running_area += seconds * active
        self.seconds += seconds
        self.most_running = max(self.most_running, active)

    def check(self, unfinished: Iterable[Served], now: float, step: int) -> None:
        """Raise BrokenLaw unless tokens are conserved and Little's law holds.

        Args:
            unfinished: requests in the system, which there are only after an interruption.
            now: seconds.
            step: the next one.
        """
        inside = list(unfinished)
        done = sum(request.done for request in inside)
        _equal("tokens computed and found", self.prefilled + self.cached, self.finished_context + self.dropped + done)
        decoding = sum(step - request.start for request in inside if 0 <= request.start <= step)
        _equal("places in steps", self.decode_slots, self.slots_of_requests + decoding)
        sojourns = self.sojourns + sum(now - request.arrival for request in inside)
        if abs(self.area - sojourns) > TOLERANCE * max(1.0, sojourns):
            raise BrokenLaw(f"Little's law: {self.area} request-seconds by steps, {sojourns} by requests")


def _equal(what: str, one: int, other: int) -> None:
    if one != other:
        raise BrokenLaw(f"{what}: {one} by steps, {other} by requests")
