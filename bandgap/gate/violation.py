"""A property that does not hold, and what a person needs to see why."""

from dataclasses import dataclass


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
    code: str = ""
    """Python that shows it again when pasted; empty where the command below is all there is."""
    file: str | None = None
    """The saved failure."""
    command: str | None = None
    """What a shell runs to see it again."""
