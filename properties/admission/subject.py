"""What is to be shown right: the arithmetic, and the parts of the specification that speak of steps and of order."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from properties.admission.code import BRANCHES, GRID, Code, Edit, loaded
from spec.actions.moving import move, unpublish
from spec.admission import relayout, steps
from spec.catalog import Action
from spec.counts import COUNTED, Change
from spec.device import specification as device
from spec.logic import Term
from spec.specification import ACTIONS
from spec.state import State


@dataclass(frozen=True)
class Subject:
    """What theorems are about: as it is, or with a seeded fault in one of these places."""

    edit: Edit | None = None
    """What is changed in a line of the arithmetic."""

    stays: Callable[[State, int, Term, Term], Term] = steps.stays
    settled: Callable[[State, list[Term]], State] = steps.settled
    unpublished: Callable[[State, Term], State] = unpublish.effect
    is_before: Callable[[State, State, Term, Term], Term] = relayout.is_before
    grown: Callable[[State, State, Term], tuple[Term, Term]] = relayout.grown
    moved: Callable[[State, Term, Term, Term], State] = move.effect
    counted: Mapping[str, Callable[..., Change]] = field(default_factory=lambda: COUNTED)
    actions: Mapping[str, Action] = field(default_factory=lambda: {**ACTIONS, **device.ACTIONS})

    @functools.cached_property
    def code(self) -> Code:
        """The arithmetic on plain numbers and on terms alike."""
        return loaded(BRANCHES, self.edit)

    @functools.cached_property
    def on_opaque_grids(self) -> Code:
        """The arithmetic with grids of which only the lemmas are known."""
        return loaded({**BRANCHES, **GRID}, self.edit)


AS_IT_IS = Subject()
