"""Each specification as one value, so that a weakened copy of it is proved by the same code as the real one."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from spec import specification as arena
from spec.catalog import Action, Guard, Property, prose_of, sentence_name
from spec.device import specification as device
from spec.device.state import DEVICE
from spec.logic import Implies, Term
from spec.ranges import Forall
from spec.state import ARENA, Signature, State


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
    signature: Signature = ARENA
    prefix: str = ""
    """What the names of its stages begin with, so that they differ from those of another specification."""

    base: "Specification | None" = None
    """The one that it builds on, whose properties and guards it keeps. That those can fail is shown of the base."""

    def stage(self, kind: str) -> str:
        """The name of the stage of all obligations of a kind that are about no action."""
        return self.prefix + kind

    def own(self, table: str) -> Mapping[str, Property]:
        """The invariants, steps or theorems that the base has not."""
        mine: Mapping[str, Property] = getattr(self, table)
        of_base = getattr(self.base, table, {})
        return {name: p for name, p in mine.items() if name not in of_base}

    @property
    def claims(self) -> Mapping[str, Property]:
        """Its own properties, by name."""
        return {**self.own("invariants"), **self.own("steps"), **self.own("theorems")}


AS_WRITTEN = Specification(
    actions=arena.ACTIONS,
    invariants=arena.INVARIANTS,
    steps=arena.STEPS,
    theorems=arena.THEOREMS,
    axioms={"address-rises": Property("address-rises", prose_of(address_rises), address_rises)},
    initial=arena.invariants.initial,
)


ON_DEVICE = Specification(
    actions=device.ACTIONS,
    invariants={**arena.INVARIANTS, **device.INVARIANTS},
    steps={**arena.STEPS, **device.STEPS},
    theorems=device.THEOREMS,
    axioms=AS_WRITTEN.axioms,
    initial=device.invariants.initial,
    signature=DEVICE,
    prefix=device.PREFIX,
    base=AS_WRITTEN,
)

SPECIFICATIONS = (AS_WRITTEN, ON_DEVICE)
"""All that is to be proved."""


def written(name: str) -> Specification:
    """The specification to which a stage or a weakening belongs, as it is written."""
    return ON_DEVICE if name.startswith(ON_DEVICE.prefix) else AS_WRITTEN


def changed_actions(specification: Specification) -> Mapping[str, Action]:
    """The actions whose guard or effect is not one of the base's."""
    of_base = specification.base.actions.values() if specification.base else ()
    known = {(action.guard, action.effect) for action in of_base}
    return {name: a for name, a in specification.actions.items() if (a.guard, a.effect) not in known}


def property_named(name: str) -> Property:
    """A property of any specification."""
    return next(
        table[name]
        for whole in SPECIFICATIONS
        for table in (whole.invariants, whole.steps, whole.theorems, whole.axioms)
        if name in table
    )


def with_action(specification: Specification, action: Action) -> Specification:
    """A copy in which the action of that name is this one."""
    if action.name not in specification.actions:
        raise ValueError(f"there is no action {action.name!r} to replace")
    return replace(specification, actions={**specification.actions, action.name: action})


def with_guard(action: Action, change: Callable[..., Guard]) -> Action:
    """A copy of the action whose guard is `change(guard, s, *arguments)`, given the sentences of its own."""

    @functools.wraps(action.guard)
    def changed_guard(s: State, *arguments: Term) -> Guard:
        return change(action.guard(s, *arguments), s, *arguments)

    return replace(action, guard=changed_guard)


def changed(action: Action, change: Callable[..., State]) -> Action:
    """A copy of the action that leaves `change(s, after, *arguments)`, given the state after its own effect."""
    return replace(action, effect=lambda s, *arguments: change(s, action.effect(s, *arguments), *arguments))


def dropped(specification: Specification, name: str) -> Specification:
    """A copy in which the guard sentence of that name is missing."""
    action = specification.actions[name.split(".")[0]]

    def others(guard: Guard, *_: Term) -> Guard:
        return (sentence for sentence in guard if sentence_name(action, sentence[0]) != name)

    return with_action(specification, with_guard(action, others))
