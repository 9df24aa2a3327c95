"""A property that does not hold, and what a person needs to see why."""

from dataclasses import dataclass

from bandgap.pictures import Arena


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
