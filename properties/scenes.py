"""An arena before and after one action, in either reading, and what is given of it."""

from dataclasses import dataclass

from properties.obligations import Kind, Obligation
from properties.readings import Reading
from properties.specification import Specification
from spec.logic import Term
from spec.state import State

Named = tuple[str, Term]
"""A formula and the name of what it says."""


@dataclass(frozen=True)
class Scene:
    """What an obligation is about; without an action, nothing changes. `given` is what it may lean on."""

    before: State
    after: State
    arguments: tuple[Term, ...]
    given: tuple[Named, ...]


def scene(chosen: Reading, specification: Specification, stage: str) -> Scene:
    """The scene of all obligations of one stage; to be called inside `reading(chosen)`."""
    s, ranges = chosen.any_state()
    given: list[Named] = [("range", term) for term in ranges]
    if stage == specification.stage(Kind.LEMMA):
        s, ranges = chosen.with_computed_addresses(s)
        return Scene(s, s, (), (*given, *[("range", term) for term in ranges]))
    given += [(axiom.name, chosen.said(axiom, s)) for axiom in specification.axioms.values()]
    if stage == specification.stage(Kind.INITIAL):
        return Scene(s, s, (), (*given, ("initial", specification.initial(s))))
    given += [(invariant.name, chosen.said(invariant, s)) for invariant in specification.invariants.values()]
    if stage == specification.stage(Kind.THEOREM):
        return Scene(s, s, (), tuple(given))
    action = specification.actions[stage]
    arguments, ranges = chosen.any_arguments(action)
    given += [("range", term) for term in ranges]
    given += [(text, condition) for text, condition, _ in action.guard(s, *arguments)]
    return Scene(s, action.effect(s, *arguments), tuple(arguments), tuple(given))


def goal(specification: Specification, obligation: Obligation, at: Scene) -> Term:
    """What the obligation says of its scene."""
    match obligation.kind:
        case Kind.LEMMA:
            return specification.axioms[obligation.property].holds(at.before)
        case Kind.INITIAL:
            return specification.invariants[obligation.property].holds(at.before)
        case Kind.THEOREM:
            return specification.theorems[obligation.property].holds(at.before)
        case Kind.INDUCTIVE:
            return specification.invariants[obligation.property].holds(at.after)
        case Kind.STEP:
            return specification.steps[obligation.property].holds(at.before, at.after)
