"""The specification as one value, so that a weakened copy of it is proved by the same code as the real one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from spec.catalog import Action, Guard, Property, prose_of, sentence_name
from spec.invariants import initial
from spec.logic import Implies, Term
from spec.ranges import Forall
from spec.specification import ACTIONS, INVARIANTS, STEPS, THEOREMS
from spec.state import State


def address_rises(s: State) -> Term:
    """The address of a page never falls as pages rise."""
    return Forall(
        "band page page",
        lambda band, page, later: Implies(page <= later, s.address[band, page] <= s.address[band, later]),
    )


@dataclass(frozen=True)
class Specification:
    """What is to be proved, and from what.

    `axioms` are what the proofs assume of the constants; each is discharged as a lemma about computed addresses.
    """

    actions: Mapping[str, Action]
    invariants: Mapping[str, Property]
    steps: Mapping[str, Property]
    theorems: Mapping[str, Property]
    axioms: Mapping[str, Property]
    initial: Callable[[State], Term]


AS_WRITTEN = Specification(
    actions=ACTIONS,
    invariants=INVARIANTS,
    steps=STEPS,
    theorems=THEOREMS,
    axioms={"address-rises": Property("address-rises", prose_of(address_rises), address_rises)},
    initial=initial,
)


def with_action(specification: Specification, action: Action) -> Specification:
    """A copy in which the action of that name is this one."""
    if action.name not in specification.actions:
        raise ValueError(f"there is no action {action.name!r} to replace")
    return replace(specification, actions={**specification.actions, action.name: action})


def with_guard(action: Action, change: Callable[..., Guard]) -> Action:
    """A copy of the action whose guard is `change(guard, s, *arguments)`, given the sentences of its own."""
    return replace(action, guard=lambda s, *arguments: change(action.guard(s, *arguments), s, *arguments))


def changed(action: Action, change: Callable[..., State]) -> Action:
    """A copy of the action that leaves `change(s, after, *arguments)`, given the state after its own effect."""
    return replace(action, effect=lambda s, *arguments: change(s, action.effect(s, *arguments), *arguments))


def dropped(specification: Specification, name: str) -> Specification:
    """A copy in which the guard sentence of that name is missing."""
    action = specification.actions[name.split(".")[0]]

    def others(guard: Guard, *_: Term) -> Guard:
        return (sentence for sentence in guard if sentence_name(action, sentence[0]) != name)

    return with_action(specification, with_guard(action, others))
