"""Random walks through small arenas of plain values."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from spec.catalog import Action
from spec.concrete import Addresses, Domains, ValueMap, broken_sentences, small_state
from spec.specification import ACTIONS
from spec.state import OUTSTANDING, READ, WRITE, State

SIZES = (2, 3, 1)
CAPACITY = 24
TOP = 12
DOMAINS = Domains(
    {
        "band": range(len(SIZES)),
        "page": range(-1, TOP + 1),
        "vid": range(4),
        "ticket": range(3),
        "publisher": range(2),
        "value": range(3),
        "mode": (READ, WRITE),
    }
)
TRANSFER = 0
"""The ticket that is a network transfer."""


@dataclass(frozen=True)
class Step:
    """A legal action, and the states around it."""

    before: State
    action: Action
    arguments: tuple[int, ...]
    after: State


def start(rng: random.Random) -> State:
    """An empty arena whose float lies anywhere."""
    tickets = DOMAINS.members["ticket"]
    return small_state(
        DOMAINS,
        {
            "bands": len(SIZES),
            "base": 0,
            "capacity": CAPACITY,
            "bottom": 0,
            "top": TOP,
            "address": Addresses((0, rng.randrange(3), CAPACITY - TOP * SIZES[-1]), SIZES),
            "before": ValueMap({(t, u): t < u for t in tickets for u in tickets}, False, lambda: ()),
            "is_transfer": ValueMap({(t,): t == TRANSFER for t in tickets}, False, lambda: ()),
            "garbage": -1,
        },
        {"lo": {(0,): 0, (1,): 3, (2,): TOP}, "hi": {(0,): 0, (1,): 3, (2,): TOP}},
    )


def walk(rng: random.Random, length: int) -> Iterator[Step]:
    """Legal steps, each action as likely as the next as far as it is possible; inside a universe of the domains."""
    s = start(rng)
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
