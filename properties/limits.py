"""How long the solver may try.

Effort is what Z3 counts of its own work: unlike time it is the same on every machine, however busy, and so is what
comes out. The seconds only end what the count does not see; they leave ample room on a loaded machine.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one question."""

    effort: int = 2_000_000
    """What a proof may cost: about a second on an idle machine, a hundred times what the slowest one needs."""

    seconds: float = 30.0
    """What a proof, or a search of small arenas, may take."""

    @property
    def milliseconds(self) -> int:
        """The seconds as Z3 counts them; to it, none at all would mean as many as it likes."""
        return max(1, int(self.seconds * 1000))

    def divided(self, by: int) -> "Limits":
        """The limits of a try that is given a fraction of the effort."""
        return Limits(max(1, self.effort // by), self.seconds)

    def doubled(self) -> "Limits":
        """The limits of a second try."""
        return Limits(2 * self.effort, 2 * self.seconds)


USUAL = Limits()
