"""Weakenings: small named changes to the specification, each with the property that must catch it.

Every sentence of every guard makes one, by its absence; the seeded faults make others.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from properties.obligations import Kind, Obligation, obligations
from properties.readings import reading
from properties.specification import SPECIFICATIONS, Specification, dropped
from properties.unbounded import Unbounded
from spec.catalog import Action, sentence_name

RESTS_ON = {
    "no-overlap": "band-order",
    "unique-ids": "bijection",
    "handout-is-unused": "ledger-wellformed",
    "transfers-are-alone": "transfers-meet-nothing",
}
"""An invariant that each theorem cannot do without."""


@dataclass(frozen=True)
class Weakening:
    """A change, what it says, and the property that must be refuted once it is made."""

    name: str
    says: str
    property: str
    change: Callable[[Specification], Specification]
    precedent: str = ""
    """The public report of it, where the field has really had it; empty for a guard sentence."""


def sentences(*specifications: Specification) -> Mapping[str, Weakening]:
    """Every guard sentence of these, or of all, dropped, by name; those of a base are tried there alone.

    Raises:
        ValueError: two sentences have the same name.
    """
    found: dict[str, Weakening] = {}
    for specification in specifications or SPECIFICATIONS:
        of_base = {text for _, text, _ in _guards(specification.base)} if specification.base else set()
        for action, text, protects in _guards(specification):
            if text in of_base:
                continue
            name = sentence_name(action, text)
            if name in found:
                raise ValueError(f"two guard sentences are named {name!r}")
            found[name] = Weakening(name, f"{action.name} without: {text}", protects, partial(dropped, name=name))
    return found


def assumptions(*specifications: Specification) -> Mapping[str, Weakening]:
    """An invariant that each theorem of these, or of all, does not follow without, by name."""

    def without(invariant: str) -> Callable[[Specification], Specification]:
        return lambda whole: replace(
            whole, invariants={name: p for name, p in whole.invariants.items() if name != invariant}
        )

    found = {}
    for specification in specifications or SPECIFICATIONS:
        for theorem in specification.theorems:
            invariant = RESTS_ON[theorem]
            name = f"{specification.prefix}{theorem}.without-{invariant}"
            found[name] = Weakening(name, f"{theorem} without: {invariant}", theorem, without(invariant))
    return found


def touched(original: Specification, weakened: Specification) -> tuple[Obligation, ...]:
    """The obligations that a change to actions or assumptions puts in question: none other can become false by it."""
    stages = {name for name, action in weakened.actions.items() if action is not original.actions[name]}
    if weakened.invariants != original.invariants:
        stages.add(weakened.stage(Kind.THEOREM))
    if weakened.initial is not original.initial:
        stages.add(weakened.stage(Kind.INITIAL))
    if weakened.axioms != original.axioms:
        stages.add(weakened.stage(Kind.LEMMA))
    return tuple(obligation for obligation in obligations(weakened) if obligation.stage in stages)


def _guards(specification: Specification) -> Iterator[tuple[Action, str, str]]:
    """Every action, with each sentence of its guard and the property that it protects."""
    unbounded = Unbounded(specification.signature)
    with reading(unbounded):
        s, _ = unbounded.any_state()
        for action in specification.actions.values():
            arguments, _ = unbounded.any_arguments(action)
            for text, _, protects in action.guard(s, *arguments):
                yield action, text, protects
