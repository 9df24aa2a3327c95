"""A property that does not hold, and what a person needs to see why."""

from dataclasses import dataclass

from bandgap.history import History, plainly
from bandgap.pictures import Arena, Look, in_words


@dataclass(frozen=True)
class Violation:
    """One violated property."""

    check: str
    """Its name, as the catalogue has it."""
    prose: str
    """What it says."""
    where: str
    """What was being checked: a layout and seed, an obligation."""
    problem: str
    """What is wrong, in one sentence."""
    facts: tuple[str, ...] = ()
    """What the pictures do not show."""
    help: tuple[tuple[str, str], ...] = ()
    """What is known of how to mend it, each with a title."""
    history: History | None = None
    """Where it broke, whom it concerns, and the chain of lines that made the page what it was there."""
    before: Arena | None = None
    after: Arena | None = None
    """The arena before and after what broke it, with the bytes that are wrong marked."""
    calls: int = 0
    """How many there are in the code."""
    code: str = ""
    """Python that shows it again when pasted; empty where the command below is all there is."""
    file: str = ""
    """Where the failure is saved, if it is."""
    command: str = ""
    """What a shell runs to see it again."""

    @property
    def plainly(self) -> str:
        """The problem as one reads it who knows none of the specification's words."""
        said = plainly(self.problem)
        if self.history is None or said == self.problem:
            return self.problem
        return f"{self.history.event[:1].upper()}{self.history.event[1:]}; {said}."

    @property
    def bytes(self) -> tuple[str, ...]:
        """The bytes that are wrong, in words; where none is marked so, those that are acted on."""
        drawn = [arena for arena in (self.after, self.before) if arena is not None]
        for look in (Look.WRONG, Look.ACTED_ON):
            for arena in drawn:
                found = [mark for mark in arena.marks if mark.look is look]
                if found:
                    return tuple(in_words(arena, mark) for mark in found)
        return ()
