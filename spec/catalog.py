"""The catalogue of actions and properties: every one is registered here under its name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from spec.logic import Term

Sentence: TypeAlias = tuple[str, Term, str]
"""A sentence of a guard, the condition that makes it true, and a property that could fail without it."""

Guard: TypeAlias = Iterator[Sentence]


@dataclass(frozen=True)
class Action:
    """Something that may happen: `guard(s, *arguments)` says when, `effect(s, *arguments)` what it leaves.

    The effect is a function of the old state only.  `sorts` are the sorts of the arguments.
    """

    name: str
    prose: str
    sorts: tuple[str, ...]
    guard: Callable[..., Guard]
    effect: Callable[..., Any]


@dataclass(frozen=True)
class Property:
    """Something that holds: `holds(s)` of states, `holds(s, after)` of a step."""

    name: str
    prose: str
    holds: Callable[..., Term]


ACTIONS: dict[str, Action] = {}
INVARIANTS: dict[str, Property] = {}
"""True of every state that can be reached; each is inductive together with the others."""
THEOREMS: dict[str, Property] = {}
"""True of every state in which the invariants are."""
STEPS: dict[str, Property] = {}
"""True of every state and the next."""


def action(sorts: str) -> Callable[[type], Action]:
    """Register a class with the static functions `guard` and `effect` as the action of that name."""

    def register(cls: type) -> Action:
        name = spelled(cls.__name__)
        ACTIONS[name] = Action(name, prose_of(cls), tuple(sorts.split()), cls.guard, cls.effect)  # type: ignore[attr-defined]  # any class may be decorated; one without these fails at once
        return ACTIONS[name]

    return register


def _into(table: dict[str, Property]) -> Callable[[Callable[..., Term]], Property]:
    def register(holds: Callable[..., Term]) -> Property:
        name = spelled(holds.__name__)
        table[name] = Property(name, prose_of(holds), holds)
        return table[name]

    return register


invariant, theorem, step = _into(INVARIANTS), _into(THEOREMS), _into(STEPS)


def spelled(name: str) -> str:
    """A name as people write it: grow-low for grow_low."""
    return name.replace("_", "-")


def prose_of(thing: Any) -> str:
    """The first paragraph of a docstring on one line; it must not be missing."""
    text = thing.__doc__
    if not text:
        raise ValueError(f"{thing.__name__} says nothing of itself")
    return " ".join(text.split("\n\n")[0].split())


def sentence_name(action: Action, sentence: str) -> str:
    """The name of a guard sentence: allocate.the-page-is-not-live."""
    words = "".join(c if c.isalnum() else " " for c in sentence.replace("'", "")).split()
    return f"{action.name}.{'-'.join(words)}"
