"""Judging an example again with Python values, so that the solver that found it is not trusted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from properties.examples import Example
from properties.obligations import Kind, Obligation
from properties.plain import Member, plain
from properties.scenes import Scene, goal
from properties.specification import Specification
from spec.state import State


class NotConfirmed(Exception):
    """The specification, read with Python values, does not say of an example what the solver said."""


@dataclass(frozen=True)
class Counterexample:
    """An example of what breaks an obligation, and the members of which the property is false."""

    obligation: Obligation
    example: Example
    culprits: tuple[Member, ...]


def confirm_legal(specification: Specification, stage: str, example: Example) -> None:
    """Confirm that the example is one of this stage: a legal state, and a legal action with just this effect.

    Raises:
        NotConfirmed: it is not, and why.
    """
    with plain(example.before.shape):
        before = example.before.state()
        wrong = list(_illegal(specification, stage, before))
        if example.action is not None:
            action = specification.actions[example.action]
            wrong += [text for text, holds, _ in action.guard(before, *example.arguments) if holds is not True]
            if example.before.became(action.effect(before, *example.arguments)) != example.after:
                wrong.append("the state after is not the effect")
    if wrong:
        raise NotConfirmed(f"{stage}: not a legal example: {'; '.join(wrong)}")


def counterexample(specification: Specification, obligation: Obligation, example: Example) -> Counterexample:
    """The example as a counterexample to the obligation.

    Raises:
        NotConfirmed: the example is not legal, or the property holds of it after all.
    """
    confirm_legal(specification, obligation.stage, example)
    culprits = culprits_of(specification, obligation, example)
    if culprits is None:
        raise NotConfirmed(f"{obligation.name}: the property holds after all")
    return Counterexample(obligation, example, culprits)


def culprits_of(specification: Specification, obligation: Obligation, example: Example) -> tuple[Member, ...] | None:
    """The members of which the property is false in the example; None if it is true."""
    return next((each.culprits for each in false_of(specification, [obligation], example)), None)


def false_of(specification: Specification, asked: Iterable[Obligation], example: Example) -> list[Counterexample]:
    """The example as a counterexample to each obligation of which it is one."""
    found = []
    with plain(example.before.shape) as culprits:
        before, after = example.before.state(), example.after.state()
        for obligation in asked:
            culprits.found.clear()
            if goal(specification, obligation, Scene(before, after, example.arguments, ())) is False:
                found.append(Counterexample(obligation, example, tuple(culprits.found)))
    return found


def _illegal(specification: Specification, stage: str, s: State) -> Iterator[str]:
    """What does not hold of the state although the stage takes it as given."""
    if stage == specification.stage(Kind.LEMMA):
        return
    yield from (axiom.name for axiom in specification.axioms.values() if axiom.holds(s) is not True)
    if stage == specification.stage(Kind.INITIAL):
        if specification.initial(s) is not True:
            yield "not a state at the start"
    else:
        yield from (p.name for p in specification.invariants.values() if p.holds(s) is not True)
