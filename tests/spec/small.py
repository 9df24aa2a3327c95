"""Small arenas in the enumerating state, what may happen in them, and the judged arena in the same state."""

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from events import records as r
from spec.catalog import Action
from spec.concrete import Addresses, Domains, ValueMap, small_state
from spec.judge.arena import GARBAGE, JudgedArena
from spec.judge.tables import MEANT_WITH, Writes
from spec.specification import ACTIONS
from spec.state import FIELDS, OUTSTANDING, State

SIZES = (2, 3, 1)
"""Bytes per page of each band."""

CAPACITY, TOP = 24, 12

MEMBERS: dict[str, Sequence[Any]] = {
    "band": range(len(SIZES)),
    "page": range(-1, 13),
    "vid": range(4),
    "ticket": range(3),
    "publisher": range(2),
    "value": range(3),
    "mode": (1, 2),
}

SCRAMBLED: Mapping[str, Sequence[Any]] = {
    **MEMBERS,
    "bool": (False, True),
    "status": range(3),
    "mode": range(3),
    "count": range(3),
    "ending": range(3),
}
"""What each sort of value may become in a state that need not be legal."""


def arena(rng: random.Random) -> State:
    """An arena at its start: both ends empty, one float of no page; ticket 0 is a transfer, the others in order."""
    tickets = MEMBERS["ticket"]
    constants = {
        "bands": len(SIZES),
        "base": 0,
        "capacity": CAPACITY,
        "bottom": 0,
        "top": TOP,
        "address": Addresses((0, rng.randrange(3), CAPACITY - TOP * SIZES[-1]), SIZES),
        "before": {(one, other): one < other for one in tickets for other in tickets},
        "is_transfer": {ticket: ticket == 0 for ticket in tickets},
        "garbage": GARBAGE,
    }
    ends = {(0,): 0, (1,): 3, (2,): TOP}
    return small_state(Domains(MEMBERS), constants, {"lo": ends, "hi": ends})


def judged(s: State) -> JudgedArena:
    """The judged arena in the same state."""
    bands = [r.Band(f"band{b}", size, s.address.origins[b], 1) for b, size in enumerate(SIZES)]
    made = JudgedArena(r.Header(r.VERSION, "test", "", bands, s.base, s.capacity, s.bottom, s.top))
    made.before, made.is_transfer = s.before, s.is_transfer
    made.apply(
        made.but(
            **{
                name: Writes({key if len(key) > 1 else key[0]: value for key, value in entries_of(s, name).items()})
                for name in FIELDS
            }
        )
    )
    return made


def entries_of(s: State, name: str) -> dict[tuple[Any, ...], Any]:
    """What was set in a field of an enumerating state."""
    held: ValueMap = getattr(s, name)
    return held.entries


RARITY = {"absorb-low": 3, "absorb-high": 3, "publish": 3}
"""How much more seldom than others an action is taken: else there is hardly ever a hole, or somebody has published."""

Entry = tuple[str, tuple[Any, ...], Any]
"""A field, a key and a value."""


def renewals(s: State, rng: random.Random) -> list[Entry]:
    """Walks have few tickets: one that has retired may come back as a new one."""
    retired = [key for key, ending in entries_of(s, "ending").items() if ending != OUTSTANDING]
    return [("ending", key, OUTSTANDING) for key in retired if rng.random() < 0.3]


def scrambles(s: State, rng: random.Random) -> list[Entry]:
    """A few entries at random, which leave a state that need not be legal."""
    names = rng.choices(
        ("lo", "hi", "status", "held", "name", "flying", "flyer", "queued", "refs", "page_of", "vid_at"),
        k=rng.randrange(6),
    )
    return [(name, _some_key(s, name, rng), rng.choice(SCRAMBLED[FIELDS[name].value])) for name in names]


def _some_key(s: State, name: str, rng: random.Random) -> tuple[Any, ...]:
    """Any key, or one at which the entry means something."""
    meaning = list(entries_of(s, "flying" if name == "flyer" else MEANT_WITH.get(name, name)))
    if meaning and rng.random() < 0.5:
        return rng.choice(meaning)
    return tuple(rng.choice(MEMBERS[sort]) for sort in FIELDS[name].keys.split())


def with_entry(s: State, entry: Entry) -> State:
    """The state with one entry changed."""
    name, key, value = entry
    return s.but(**{name: getattr(s, name).set(key, value)})


def put(s: JudgedArena, entry: Entry) -> None:
    """Change one entry of a judged arena."""
    name, key, value = entry
    s.apply(s.but(**{name: Writes({key if len(key) > 1 else key[0]: value})}))


def legal_event(s: State, rng: random.Random, fired: Counter[str]) -> tuple[Action, tuple[Any, ...]]:
    """Something that may happen next: of the actions that may, one that fired least so far."""
    actions = list(ACTIONS.values())
    rng.shuffle(actions)
    for action in sorted(actions, key=lambda action: fired[action.name] * RARITY.get(action.name, 1)):
        choices = list(itertools.product(*[MEMBERS[sort] for sort in action.sorts]))
        rng.shuffle(choices)
        for arguments in choices:
            if all(condition for _, condition, _ in action.guard(s, *arguments)):
                return action, arguments
    raise AssertionError("nothing may happen, not even publish")


def lapsed(s: State) -> State:
    """The state without the entries that mean nothing, which the judged arena does not keep."""
    for name, leader in MEANT_WITH.items():
        kept = {key: value for key, value in entries_of(s, name).items() if entries_of(s, leader).get(key)}
        followed: ValueMap = getattr(s, name)
        s = s.but(**{name: ValueMap(kept, followed.default, followed.keys)})
    return s
