"""Small states of plain Python values, and universes that enumerate small domains.

This is the slow and obvious reading of the specification. Counterexamples are re-judged with it, and the judge's
indexed states are compared with it.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spec.catalog import Action
from spec.logic import And, Or, Term
from spec.ranges import Body, Range, Those
from spec.specification import INVARIANTS, STEPS, THEOREMS
from spec.state import ARENA, Signature, State


class Domains:
    """Quantifiers by enumeration: Python values in, a Python value out; terms in, a quantifier-free term out."""

    def __init__(self, members: Mapping[str, Sequence[Any]]) -> None:
        self.members = members

    def tuples(self, sorts: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        """Every tuple of members of these sorts."""
        return itertools.product(*[self.members[sort] for sort in sorts])

    def forall(self, sorts: list[str], body: Body) -> Term:
        """The body holds of every tuple."""
        parts = []
        for xs in self.tuples(sorts):
            part = body(*xs)
            if part is False:
                return False
            if part is not True:
                parts.append(part)
        return And(*parts)

    def exists(self, sorts: list[str], body: Body) -> Term:
        """The body holds of some tuple."""
        parts = []
        for xs in self.tuples(sorts):
            part = body(*xs)
            if part is True:
                return True
            if part is not False:
                parts.append(part)
        return Or(*parts)


class ValueMap:
    """A map from keys to Python values; keys that were never set have the default."""

    def __init__(
        self,
        entries: dict[tuple[Any, ...], Any],
        default: Any,
        keys: Callable[[], Iterable[tuple[Any, ...]]],
    ) -> None:
        self.entries, self.default, self.keys = entries, default, keys

    def __getitem__(self, key: Any) -> Any:
        return self.entries.get(key if isinstance(key, tuple) else (key,), self.default)

    def set(self, key: Any, value: Any) -> "ValueMap":
        """The map with one entry changed."""
        key = key if isinstance(key, tuple) else (key,)
        return ValueMap({**self.entries, key: value}, self.default, self.keys)

    def where(self, among: Range, value: Any) -> "ValueMap":
        """The map with every entry of a range changed."""
        if isinstance(among, Those):
            chosen = [key for key in self.keys() if among.condition(*key)]
        else:
            chosen = [key for key in among if isinstance(key, tuple)]
        changed: dict[tuple[Any, ...], Any] = {key: value(*key) if callable(value) else value for key in chosen}
        return ValueMap({**self.entries, **changed}, self.default, self.keys)


class Addresses:
    """origin + page * size, in bytes, for each band."""

    def __init__(self, origins: Sequence[int], sizes: Sequence[int]) -> None:
        self.origins, self.sizes = tuple(origins), tuple(sizes)

    def __getitem__(self, key: tuple[int, int]) -> int:
        band, page = key
        return self.origins[band] + page * self.sizes[band]


def small_state(
    domains: Domains,
    constants: Mapping[str, Any],
    fields: Mapping[str, dict[tuple[Any, ...], Any]],
    signature: Signature = ARENA,
) -> State:
    """A state from the entries of its fields; what is missing is free, held by nobody, not issued, zero."""

    def made(name: str) -> ValueMap:
        field = signature.fields[name]
        return ValueMap(
            dict(fields.get(name, {})),
            False if field.value == "bool" else 0,
            lambda: domains.tuples(field.keys.split()),
        )

    return State(**{name: made(name) for name in signature.fields}, **constants)


def broken_sentences(action: Action, s: State, arguments: Sequence[Any]) -> list[tuple[str, str]]:
    """The sentences of a guard that do not hold, each with the property that could fail without it."""
    return [(text, protects) for text, condition, protects in action.guard(s, *arguments) if condition is not True]


def broken_properties(s: State) -> list[str]:
    """The invariants and theorems that do not hold."""
    return [p.name for p in (*INVARIANTS.values(), *THEOREMS.values()) if not p.holds(s)]


def broken_steps(s: State, after: State) -> list[str]:
    """The properties of a step that do not hold."""
    return [p.name for p in STEPS.values() if not p.holds(s, after)]
