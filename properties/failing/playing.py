"""Legal actions in plain values: what may happen, and what happens by chance."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from properties.examples import Arena, Example
from properties.plain import NO_SOLVER
from properties.specification import Specification
from spec.catalog import Action
from spec.concrete import Domains
from spec.logic import install
from spec.ranges import universe
from spec.state import State

Arguments = tuple[int, ...]

LENGTH = 14
"""Actions of one outing."""


@contextmanager
def plainly(domains: Domains) -> Iterator[None]:
    """Read the specification with Python values inside the block, over just these domains."""
    install(NO_SOLVER)
    with universe(domains):
        yield


def is_legal(action: Action, s: State, arguments: Arguments) -> bool:
    """Every sentence of its guard holds."""
    return all(condition is True for _, condition, _ in action.guard(s, *arguments))


def legal(action: Action, s: State, domains: Domains) -> Iterator[Arguments]:
    """The arguments with which an action may happen."""
    return (arguments for arguments in domains.tuples(action.sorts) if is_legal(action, s, arguments))


def met(specification: Specification, stage: str, arenas: Sequence[Arena], outings: int) -> list[Example]:
    """Legal steps of an action that are met by chance, from empty arenas, the same each time; each once."""
    rng = random.Random(0)
    found: dict[tuple[object, Arguments], Example] = {}
    for outing in range(outings):
        arena = arenas[outing % len(arenas)]
        domains = arena.shape.domains
        with plainly(domains):
            s = arena.state()
            for _ in range(LENGTH):
                action = specification.actions[stage]
                at = arena.became(s)
                key = tuple(sorted((name, *entry) for name, table in at.tables.items() for entry in table.items()))
                for arguments in legal(action, s, domains):
                    if (key, arguments) not in found:
                        after = at.became(action.effect(s, *arguments))
                        found[key, arguments] = Example(at, after, stage, arguments)
                s = _next(specification, s, domains, rng)
    return list(found.values())


def _next(specification: Specification, s: State, domains: Domains, rng: random.Random) -> State:
    """What is left by some legal action that keeps the invariants; the same state where there is none."""
    for action in rng.sample(list(specification.actions.values()), len(specification.actions)):
        every = list(legal(action, s, domains))
        if every:
            after: State = action.effect(s, *rng.choice(every))
            if all(invariant.holds(after) is True for invariant in specification.invariants.values()):
                return after
    return s
