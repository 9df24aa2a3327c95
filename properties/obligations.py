"""What has to be shown, one obligation for each thing that could be false by itself."""

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from properties.specification import Specification


class Kind(StrEnum):
    """How an obligation reads."""

    LEMMA = "lemma"
    """An axiom holds of computed addresses."""

    INITIAL = "initial"
    """An invariant holds of every state at the start."""

    THEOREM = "theorem"
    """A theorem holds of every state in which the invariants hold."""

    INDUCTIVE = "inductive"
    """An invariant still holds after an action."""

    STEP = "step"
    """A property of a step holds of an action."""

    ADMISSION = "admission"
    """A part of a theorem about admission, whose name the stage has."""

    CONTRACT = "contract"
    """What a function of the arithmetic must do, on all its paths."""


@dataclass(frozen=True)
class Obligation:
    """A property to be shown where `stage` says: the name of an action, or the kind of an obligation without one."""

    kind: Kind
    stage: str
    property: str

    # Spelled out, since a field of this class is a property in the specification's sense.
    @builtins.property
    def name(self) -> str:
        """The name by which people and reports know it."""
        return f"{self.stage} x {self.property}"

    @builtins.property
    def action(self) -> str | None:
        """The action that it is about, if any."""
        return self.stage if self.kind in (Kind.INDUCTIVE, Kind.STEP) else None


def obligations(specification: Specification) -> tuple[Obligation, ...]:
    """All of them, in the order in which they are shown."""
    return tuple(_without_action(specification)) + tuple(
        obligation for action in specification.actions for obligation in of_action(specification, action)
    )


def of_action(specification: Specification, action: str) -> Iterator[Obligation]:
    """What one action has to keep."""
    yield from (Obligation(Kind.INDUCTIVE, action, name) for name in specification.invariants)
    yield from (Obligation(Kind.STEP, action, name) for name in specification.steps)


def _without_action(specification: Specification) -> Iterator[Obligation]:
    for kind, table in (
        (Kind.LEMMA, specification.axioms),
        (Kind.INITIAL, specification.invariants),
        (Kind.THEOREM, specification.theorems),
    ):
        yield from (Obligation(kind, specification.stage(kind), name) for name in table)
