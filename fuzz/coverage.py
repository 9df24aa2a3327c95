"""What a run exercised, counted."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Coverage:
    """How often each thing happened.

    Attributes:
        actions: page actions of the specification, by name.
        outcomes: calls by name and how they ended: allocations by the step that met them or the reason of their
    """

    actions: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    operations: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __add__(self, other: "Coverage") -> "Coverage":
        return Coverage(
            self.actions + other.actions, self.outcomes + other.outcomes, self.operations + other.operations
        )

    @property
    def page_actions(self) -> int:
        """Page actions of all sorts."""
        return self.actions.total()
