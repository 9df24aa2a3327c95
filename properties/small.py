"""The small reading: fields are tables of unknown bits over small domains, and quantifiers are written out.

What is asked of it has no quantifier and no function, so that a plain bit-level search answers in milliseconds.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from properties.bits import Bits, Pool
from properties.readings import key_of, same
from properties.shapes import GARBAGE, Shape
from spec.catalog import Action, Property
from spec.logic import And, If, Term
from spec.ranges import Range, Those
from spec.state import ARENA, Field, Signature, State

FARTHEST = 24
"""No address is farther than this from 0: page bytes times pages stay well inside the bits."""


class Table:
    """A map that lists its entries; a key that is a term chooses among them."""

    def __init__(self, entries: dict[tuple[int, ...], Term], default: Term, axes: Sequence[range]) -> None:
        self.entries, self.default, self.axes = entries, default, axes
        self._read: dict[tuple[Any, ...], Term] = {}

    def __getitem__(self, key: Term) -> Term:
        parts = key_of(key)
        known = tuple(part if type(part) is not Bits else (part.place,) for part in parts)
        if known not in self._read:
            self._read[known] = self._chosen((), parts)
        return self._read[known]

    def _chosen(self, known: tuple[int, ...], rest: tuple[Term, ...]) -> Term:
        if not rest:
            return self.entries.get(known, self.default)
        first, rest = rest[0], rest[1:]
        if isinstance(first, int):
            return self._chosen((*known, first), rest)
        term = self.default
        for member in self.axes[len(known)]:
            term = If(first == member, self._chosen((*known, member), rest), term)
        return term

    def set(self, key: Term, value: Term) -> "Table":
        """The table with one entry changed."""
        return self._changed(lambda entry: And(*same(key_of(key), entry)), lambda *_: value)

    def where(self, among: Range, value: Any) -> "Table":
        """The table with every entry of a range changed."""
        if not isinstance(among, Those):
            raise TypeError("only ranges that are not listed can be changed in a state of unknowns")
        return self._changed(lambda entry: among.condition(*entry), value if callable(value) else lambda *_: value)

    def _changed(self, when: Callable[[tuple[int, ...]], Term], value: Callable[..., Term]) -> "Table":
        changed = {entry: If(when(entry), value(*entry), old) for entry, old in self.entries.items()}
        return Table(changed, self.default, self.axes)


class Origins:
    """Addresses: an unknown origin for each band, and page bytes that are known."""

    def __init__(self, sizes: Sequence[int], origins: Sequence[Bits]) -> None:
        self.sizes, self.origins = tuple(sizes), tuple(origins)

    def __getitem__(self, key: tuple[Term, Term]) -> Term:
        band, page = key
        of_bands = [origin + page * size for origin, size in zip(self.origins, self.sizes, strict=True)]
        if isinstance(band, int):
            return of_bands[band]
        term = of_bands[-1]
        for member, address in enumerate(of_bands[:-1]):
            term = If(band == member, address, term)
        return term


class Small:
    """The reading in arenas of one small shape."""

    def __init__(self, shape: Shape, signature: Signature = ARENA) -> None:
        self.shape, self.signature = shape, signature
        self.connectives = self.pool = Pool()
        self.universe = shape.domains
        self._said: dict[tuple[Callable[..., Term], State], Term] = {}

    def any_state(self) -> tuple[State, list[Term]]:
        """A state of unknown entries, the same each time."""
        state, ranges = self._any
        return state, list(ranges)

    def said(self, of: Property, s: State) -> Term:
        """What a property says of a state; of the same one it is written out once."""
        if (of.holds, s) not in self._said:
            self._said[of.holds, s] = of.holds(s)
        return self._said[of.holds, s]

    @cached_property
    def _any(self) -> tuple[State, list[Term]]:
        ranges: list[Term] = []
        tables = {name: self._unknown(name, field, ranges) for name, field in self.signature.tables.items()}
        sizes = self.shape.sizes
        address = Origins(
            sizes,
            [
                self._number(f"origin of band {band}", range(-FARTHEST // 2, FARTHEST + 1), ranges)
                for band in range(len(sizes))
            ],
        )
        base = self._number("base", range(FARTHEST // 4), ranges)
        capacity = self._number("capacity", range(FARTHEST + 1), ranges)
        bottom, top = [self._number(end, range(self.shape.pages + 1), ranges) for end in ("bottom", "top")]
        constants = {"bands": len(self.shape.sizes), "base": base, "capacity": capacity, "bottom": bottom, "top": top}
        return State(**tables, **constants, address=address, garbage=GARBAGE), ranges

    def with_computed_addresses(self, s: State) -> tuple[State, list[Term]]:
        """They are computed as it is."""
        return s, []

    def any_arguments(self, action: Action) -> tuple[list[Term], list[Term]]:
        """Unknown arguments. Ids, tickets and accesses differ in name alone: the first of each may as well be 0."""
        arguments: list[Term] = []
        ranges: list[Term] = []
        for i, sort in enumerate(action.sorts):
            renamed = sort in ("vid", "ticket", "publisher", "access") and sort not in action.sorts[:i]
            arguments.append(0 if renamed else self._number(f"argument {i}", self.shape.members[sort], ranges))
        return arguments, ranges

    def _number(self, label: str, among: range, ranges: list[Term]) -> Bits:
        number = self.pool.number(label, among)
        ranges.append(And(among.start <= number, number < among.stop))
        return number

    def _unknown(self, name: str, field: Field, ranges: list[Term]) -> Table:
        sorts = field.keys.split()
        entries: dict[tuple[int, ...], Term] = {}
        for key in self.universe.tuples(sorts):
            label = f"{name} {' '.join(map(str, key))}"
            if field.value == "bool":
                entries[key] = self.pool.truth(label)
            else:
                entries[key] = self._number(label, self.shape.values_of[field.value], ranges)
        default = False if field.value == "bool" else 0
        return Table(entries, default, [self.shape.members[sort] for sort in sorts])
