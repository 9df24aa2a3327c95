"""What came of an obligation."""

from dataclasses import dataclass
from enum import StrEnum

from properties.judging import Counterexample
from properties.obligations import Obligation


class Verdict(StrEnum):
    """Only `PROVED` is green."""

    PROVED = "proved"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Answer:
    """The verdict on one obligation; a violated one comes with its counterexample, an unknown one with the reason."""

    obligation: Obligation
    verdict: Verdict
    seconds: float
    counterexample: Counterexample | None = None
    reason: str = ""
    found: str = ""
    """A counterexample that is no arena, in words."""
