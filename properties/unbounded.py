"""The unbounded reading: any arena size, any number of bands, pages and tickets, any page sizes.

Ids, tickets, publishers, values and accesses are opaque: they can only be compared. A field is a function of its keys.
"""

from collections.abc import Callable, Sequence
from typing import Any

import z3

from properties.readings import key_of, same
from spec.catalog import Action, Property
from spec.logic import And, If, Implies, Term
from spec.ranges import Body, Range, Those
from spec.state import ARENA, NONE, WRITE, Field, Signature, State

OPAQUE = frozenset({"vid", "ticket", "publisher", "value", "access"})


def sort_of(name: str) -> z3.SortRef:
    """The solver's sort for one of the specification's."""
    if name == "bool":
        return z3.BoolSort()
    return z3.DeclareSort(name) if name in OPAQUE else z3.IntSort()


def as_term(x: Term) -> Any:
    """A solver's term for a Python value; a term stays what it is."""
    if isinstance(x, bool):
        return z3.BoolVal(x)
    return z3.IntVal(x) if isinstance(x, int) else x


class Z3Connectives:
    """Connectives over Z3's terms; `as_term` says what a Python value is among them."""

    def __init__(self, as_term: Callable[[Term], Any]) -> None:
        self.as_term = as_term

    def conjunction(self, parts: list[Term]) -> Term:
        """All of them."""
        return parts[0] if len(parts) == 1 else z3.And(parts)

    def disjunction(self, parts: list[Term]) -> Term:
        """One of them."""
        return parts[0] if len(parts) == 1 else z3.Or(parts)

    def negation(self, part: Term) -> Term:
        """Not this one."""
        return z3.Not(part)

    def implication(self, condition: Term, conclusion: Term) -> Term:
        """The second, if the first."""
        return z3.Implies(condition, conclusion)

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        """One value or the other."""
        return z3.If(condition, self.as_term(yes), self.as_term(no))


class FunctionMap:
    """A map from keys to terms, kept as what it says of any key."""

    def __init__(self, read: Callable[..., Term]) -> None:
        self.read = read

    def __getitem__(self, key: Term) -> Term:
        return self.read(*key_of(key))

    def set(self, key: Term, value: Term) -> "FunctionMap":
        """The map with one entry changed."""
        return FunctionMap(lambda *other: If(And(*same(key_of(key), other)), value, self.read(*other)))

    def where(self, among: Range, value: Any) -> "FunctionMap":
        """The map with every entry of a range changed."""
        if not isinstance(among, Those):
            raise TypeError("only ranges that are not listed can be changed in an unbounded state")
        at = value if callable(value) else lambda *_: value
        return FunctionMap(lambda *key: If(among.condition(*key), at(*key), self.read(*key)))


class Quantifiers:
    """The solver's quantifiers over sorts, some of which have a range."""

    def __init__(self, bands: Term) -> None:
        self.bands = bands

    def within(self, sort: str, x: Term) -> Term:
        """The range of a member of a sort."""
        if sort == "band":
            return And(x >= 0, x < self.bands)
        return And(x >= NONE, x <= WRITE) if sort == "mode" else True

    def forall(self, sorts: list[str], body: Body) -> Term:
        """The body holds of all."""
        xs = self._variables(sorts)
        return z3.ForAll(xs, as_term(Implies(self._ranges(sorts, xs), body(*xs))))

    def exists(self, sorts: list[str], body: Body) -> Term:
        """The body holds of one."""
        xs = self._variables(sorts)
        return z3.Exists(xs, as_term(And(self._ranges(sorts, xs), body(*xs))))

    def _variables(self, sorts: Sequence[str]) -> list[Any]:
        return [z3.FreshConst(sort_of(sort), sort) for sort in sorts]

    def _ranges(self, sorts: Sequence[str], xs: Sequence[Any]) -> Term:
        return And(*[self.within(sort, x) for sort, x in zip(sorts, xs, strict=True)])


class Unbounded:
    """The reading in which nothing is bounded."""

    def __init__(self, signature: Signature = ARENA) -> None:
        self.signature = signature
        self.connectives = Z3Connectives(as_term)
        self.universe = Quantifiers(z3.Int("bands"))

    def any_state(self) -> tuple[State, list[Term]]:
        """A state of uninterpreted functions; bands and modes are quantified within their ranges, so none is listed."""
        made_of = {**self.signature.fields, **self.signature.constants}
        return State(**{name: _unknown(name, field) for name, field in made_of.items()}), []

    def said(self, of: Property, s: State) -> Term:
        """What a property says of a state."""
        return of.holds(s)

    def with_computed_addresses(self, s: State) -> tuple[State, list[Term]]:
        """Origin + page * size, for sizes that are not negative."""
        origin = z3.Function("origin", z3.IntSort(), z3.IntSort())
        size = z3.Function("size", z3.IntSort(), z3.IntSort())
        computed = FunctionMap(lambda band, page: origin(band) + page * size(band))
        return s.but(address=computed), [self.universe.forall(["band"], lambda band: size(band) >= 0)]

    def any_arguments(self, action: Action) -> tuple[list[Term], list[Term]]:
        """One constant for each argument."""
        arguments = [z3.Const(f"{sort}_{i}", sort_of(sort)) for i, sort in enumerate(action.sorts)]
        return arguments, [self.universe.within(sort, x) for sort, x in zip(action.sorts, arguments, strict=True)]


def _unknown(name: str, field: Field) -> Any:
    keys = [sort_of(key) for key in field.keys.split()]
    if not keys:
        return z3.Const(name, sort_of(field.value))
    return FunctionMap(z3.Function(name, *keys, sort_of(field.value)))
