"""Small arenas in plain Python values: what a search found, free of the solver."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from properties.shapes import GARBAGE, Shape
from spec.concrete import Addresses, ValueMap, small_state
from spec.state import ARENA, Signature, State

Entries = Mapping[tuple[int, ...], int | bool]
"""The entries of a table; what is not listed is zero or false."""


@dataclass(frozen=True)
class Arena:
    """A small arena; `tables` hold the entries of the fields and of the constants that are tables."""

    shape: Shape
    base: int
    capacity: int
    bottom: int
    top: int
    origins: tuple[int, ...]
    tables: Mapping[str, Entries] = field(default_factory=dict)
    signature: Signature = ARENA

    def table(self, name: str) -> Entries:
        """The entries of a field or of a constant that is a table."""
        return self.tables.get(name, {})

    def state(self) -> State:
        """The arena as the specification reads it."""
        domains = self.shape.wide_domains
        fields = {name: dict(self.table(name)) for name in self.signature.fields}
        constants = {name: _constant(self.table(name)) for name in self.signature.tables if name not in fields}
        return small_state(
            domains,
            {
                **constants,
                "bands": len(self.shape.sizes),
                "base": self.base,
                "capacity": self.capacity,
                "bottom": self.bottom,
                "top": self.top,
                "address": Addresses(self.origins, self.shape.sizes),
                "garbage": GARBAGE,
            },
            fields,
            self.signature,
        )

    def became(self, s: State) -> "Arena":
        """The same arena with the fields of this state; its constants are the same."""
        changed = {
            name: _listed(getattr(s, name), self.shape, of.keys.split()) for name, of in self.signature.fields.items()
        }
        return replace(self, tables={**self.tables, **changed})


@dataclass(frozen=True)
class Example:
    """An arena before and after one action; without an action, nothing happens."""

    before: Arena
    after: Arena
    action: str | None = None
    arguments: tuple[int, ...] = ()


def _constant(entries: Entries) -> ValueMap:
    return ValueMap(dict(entries), False, lambda: ())


def _listed(table: ValueMap, shape: Shape, sorts: Sequence[str]) -> Entries:
    keys: Sequence[tuple[int, ...]] = list(shape.wide_domains.tuples(sorts))
    return {key: table[key] for key in keys if table[key] != table.default}
