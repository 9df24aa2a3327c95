"""Random walks through small arenas of plain values."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from spec.catalog import Action
from spec.concrete import Domains, broken_sentences
from spec.specification import ACTIONS
from spec.state import OUTSTANDING, State
from tests.spec.small import MEMBERS, arena

DOMAINS = Domains(MEMBERS)


@dataclass(frozen=True)
class Step:
    """A legal action, and the states around it."""

    before: State
    action: Action
    arguments: tuple[int, ...]
    after: State


def walk(rng: random.Random, length: int) -> Iterator[Step]:
    """Legal steps, each action as likely as the next as far as it is possible; inside a universe of the domains."""
    s = arena(rng)
    for _ in range(length):
        s = _renewed(s, rng)
        action, arguments = _legal(s, rng)
        after = action.effect(s, *arguments)
        yield Step(s, action, arguments, after)
        s = after


def _renewed(s: State, rng: random.Random) -> State:
    """There are few tickets: one that has retired comes back as another."""
    for ticket in DOMAINS.members["ticket"]:
        if s.ending[ticket] != OUTSTANDING and rng.random() < 0.3:
            s = s.but(ending=s.ending.set(ticket, OUTSTANDING))
    return s


def _legal(s: State, rng: random.Random, tries: int = 300) -> tuple[Action, tuple[int, ...]]:
    for action in rng.sample(list(ACTIONS.values()), len(ACTIONS)):
        for _ in range(tries):
            arguments = tuple(rng.choice(DOMAINS.members[sort]) for sort in action.sorts)
            if not broken_sentences(action, s, arguments):
                return action, arguments
    raise AssertionError("no action is possible, not even drain")
