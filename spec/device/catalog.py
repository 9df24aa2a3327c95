"""The catalogue of the device: its actions, and what holds of an arena and its device."""

from spec import catalog
from spec.catalog import Action, Property, actions_of, properties_of

PREFIX = "device/"
"""What the names of the device's actions begin with."""

ACTIONS: dict[str, Action] = {}
INVARIANTS: dict[str, Property] = {}
THEOREMS: dict[str, Property] = {}
STEPS: dict[str, Property] = {}

action = actions_of(ACTIONS, PREFIX)
invariant, theorem, step = properties_of(INVARIANTS), properties_of(THEOREMS), properties_of(STEPS)


def as_in_the_arena(name: str) -> Action:
    """Register an action of the arena to which the device adds nothing."""
    original = catalog.ACTIONS[name]
    taken = Action(PREFIX + name, original.prose, original.sorts, original.guard, original.effect)
    ACTIONS[taken.name] = taken
    return taken
