"""What stops a run: something that must be true and was not."""

from typing import Final

from spec.judge.verdict import Finding

SYMPTOMS: Final = frozenset({"agreement", "crash", "hang"})
"""What breaks for any reason: traded for a property proper where that can be had, and never the other way."""


class Violation(Exception):
    """A property does not hold.

    Attributes:
        property: its name in the specification; `agreement` where the allocator contradicts its own trace; `crash`
            where a call neither did what was asked nor rejected it as a misuse.
        problem: what was seen, a clause.
        finding: the judge's, where it was the judge who saw it.
    """

    def __init__(self, property_name: str, problem: str, finding: Finding | None = None) -> None:
        super().__init__(f"{property_name}: {problem}")
        self.property, self.problem, self.finding = property_name, problem, finding
