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

    The effect is a function of the old state only. `sorts` are the sorts of the arguments.
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


def actions_of(table: dict[str, Action], prefix: str = "") -> Callable[[str], Callable[[type], Action]]:
    """A decorator that puts a class with the static functions `guard` and `effect` into a table, as the action of that
    name; it is told the sorts of the arguments."""

    def action(sorts: str) -> Callable[[type], Action]:
        def register(cls: type) -> Action:
            name = prefix + spelled(cls.__name__)
            table[name] = Action(name, prose_of(cls), tuple(sorts.split()), cls.guard, cls.effect)  # type: ignore[attr-defined]  # any class may be decorated; one without these fails at once
            return table[name]

        return register

    return action


def properties_of(table: dict[str, Property]) -> Callable[[Callable[..., Term]], Property]:
    """A decorator that puts a function of states into a table, as the property of that name."""

    def register(holds: Callable[..., Term]) -> Property:
        name = spelled(holds.__name__)
        table[name] = Property(name, prose_of(holds), holds)
        return table[name]

    return register


action = actions_of(ACTIONS)
invariant, theorem, step = properties_of(INVARIANTS), properties_of(THEOREMS), properties_of(STEPS)


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
