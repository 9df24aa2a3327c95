"""How long measuring may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """More rounds give a steadier median, longer ones a steadier figure."""

    rounds: int = 15
    """How often each figure is measured; a peer's is measured as often, in between."""
    seconds: float = 0.05
    """The least time for which a rate is measured in each round."""
