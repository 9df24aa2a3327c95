"""Weakenings: small named changes to the specification, each with the property that must catch it.

Every sentence of every guard makes one, by its absence; the seeded faults make others.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from properties.obligations import Kind, Obligation, obligations
from properties.readings import reading
from properties.specification import AS_WRITTEN, Specification, dropped
from properties.unbounded import Unbounded
from spec.catalog import sentence_name

RESTS_ON = {
    "no-overlap": "band-order",
    "unique-ids": "bijection",
    "handout-is-unused": "ledger-wellformed",
}
"""For each theorem an invariant that it cannot do without."""


@dataclass(frozen=True)
class Weakening:
    """A change, what it says, and the property that must be refuted once it is made."""

    name: str
    says: str
    property: str
    change: Callable[[Specification], Specification]
    precedent: str = ""
    """Where the field has really had it, by public number; empty for a guard sentence."""


def sentences(specification: Specification = AS_WRITTEN) -> Mapping[str, Weakening]:
    """Every guard sentence, dropped, by name.

    Raises:
        ValueError: two sentences have the same name.
    """
    found: dict[str, Weakening] = {}
    for weakening in _sentences(specification):
        if weakening.name in found:
            raise ValueError(f"two guard sentences are named {weakening.name!r}")
        found[weakening.name] = weakening
    return found


def assumptions() -> Mapping[str, Weakening]:
    """For each theorem an invariant without which it does not follow, by name."""

    def without(invariant: str) -> Callable[[Specification], Specification]:
        return lambda whole: replace(
            whole, invariants={name: p for name, p in whole.invariants.items() if name != invariant}
        )

    found = {}
    for theorem, invariant in RESTS_ON.items():
        name = f"{theorem}.without-{invariant}"
        found[name] = Weakening(name, f"{theorem} without: {invariant}", theorem, without(invariant))
    return found


def touched(original: Specification, weakened: Specification) -> tuple[Obligation, ...]:
    """The obligations that a change to actions or assumptions puts in question: none other can become false by it."""
    stages = {name for name, action in weakened.actions.items() if action is not original.actions[name]}
    if weakened.invariants != original.invariants:
        stages.add(Kind.THEOREM)
    if weakened.initial is not original.initial:
        stages.add(Kind.INITIAL)
    if weakened.axioms != original.axioms:
        stages.add(Kind.LEMMA)
    return tuple(obligation for obligation in obligations(weakened) if obligation.stage in stages)


def _sentences(specification: Specification) -> Iterator[Weakening]:
    unbounded = Unbounded()
    with reading(unbounded):
        s, _ = unbounded.any_state()
        for action in specification.actions.values():
            arguments, _ = unbounded.any_arguments(action)
            for text, _, protects in action.guard(s, *arguments):
                name = sentence_name(action, text)
                yield Weakening(name, f"{action.name} without: {text}", protects, partial(dropped, name=name))
