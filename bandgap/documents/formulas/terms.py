"""Terms that print: what the specification's functions are given, and make formulas of."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bandgap.documents.formulas.layout import Formula, Level, atom
from bandgap.pictures.wording import ENDINGS, MODES, PHASES, STATUSES
from spec.admission.layouts import CASE
from spec.state import ARENA, Field, Signature

SPELLED: Mapping[str, Mapping[int, str]] = {"status": STATUSES, "mode": MODES, "ending": ENDINGS, "phase": PHASES}
"""The values of the sorts that have names for them."""

PRIME = "\N{PRIME}"
"""Marks what is said of the state after."""

OPPOSITE = {"=": "≠", "≠": "=", "<": "≥", "≥": "<", ">": "≤", "≤": ">"}


class Shown:
    """A term that prints. Comparing two makes a third, as a solver's term does."""

    def __init__(self, formula: Formula, sort: str = "") -> None:
        self.formula, self.sort = formula, sort

    def __str__(self) -> str:
        return self.formula.inline()

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is neither true nor false: it is only printed")

    def __getitem__(self, key: Any) -> "Shown":
        keys = key if isinstance(key, tuple) else (key,)
        return Shown(atom(f"{self}[{listed(keys)}]"))

    __iter__ = None  # what prints is no list of its entries

    def __call__(self, *arguments: Any) -> "Shown":
        """The term is that of a function."""
        return Shown(atom(f"{self}({listed(arguments)})"))

    __hash__ = None  # type: ignore[assignment]  # it is never a key of a dictionary

    def __eq__(self, other: object) -> "Shown":  # type: ignore[override]  # as a solver's term does
        return self._compared("=", other)

    def __ne__(self, other: object) -> "Shown":  # type: ignore[override]  # as a solver's term does
        return self._compared("≠", other)

    def __lt__(self, other: Any) -> "Shown":
        return self._compared("<", other)

    def __le__(self, other: Any) -> "Shown":
        return self._compared("≤", other)

    def __gt__(self, other: Any) -> "Shown":
        return self._compared(">", other)

    def __ge__(self, other: Any) -> "Shown":
        return self._compared("≥", other)

    def __add__(self, other: Any) -> "Shown":
        return self._joined(Level.SUM, "+", other, self.sort)

    def __sub__(self, other: Any) -> "Shown":
        return self._joined(Level.SUM, "-", other, self.sort)

    def __mul__(self, other: Any) -> "Shown":
        return self._joined(Level.SUM, "·", other, self.sort)

    def __rmul__(self, other: Any) -> "Shown":
        return Shown(atom(str(other)))._joined(Level.SUM, "·", self, self.sort)

    def __radd__(self, other: Any) -> "Shown":
        return Shown(atom(str(other)))._joined(Level.SUM, "+", self, self.sort)

    def _compared(self, sign: str, other: object) -> "Shown":
        return self._joined(Level.COMPARED, sign, other, "bool")

    def _joined(self, level: Level, sign: str, other: object, sort: str) -> "Shown":
        theirs = shown(other, self.sort).formula
        is_sum = sign == "+" and (self.formula.level, self.formula.text) == (Level.SUM, "+")
        parts = (*self.formula.parts, theirs) if is_sum else (self.formula, theirs)
        return Shown(Formula(level, parts, sign), sort)


def shown(value: Any, sort: str = "") -> Shown:
    """Any value as a term that prints; a number of a sort whose values have names goes by its name."""
    if isinstance(value, Shown):
        return value
    if isinstance(value, bool):
        return Shown(atom("yes" if value else "no"), "bool")
    if isinstance(value, int):
        return Shown(atom(SPELLED[sort][value] if sort in SPELLED else str(value)), sort)
    if isinstance(value, Among):
        return Shown(atom(value.text))
    if isinstance(value, ShownState):
        return Shown(atom(value.label))
    if isinstance(value, slice):
        return Shown(atom(f":{shown(value.stop)}"))
    if isinstance(value, Table):
        return Shown(atom(value.name + PRIME if value.updates or value.is_after else value.name))
    if callable(value):
        return _of_function(value)
    if isinstance(value, Sequence):
        return Shown(atom(f"[{listed(value)}]"))
    raise TypeError(f"{value!r} cannot be printed")


def _of_function(function: Callable[..., Any]) -> Shown:
    names = parameters(function)
    if not names:
        return shown(function())
    value = shown(function(*[Shown(atom(name)) for name in names]))
    return Shown(atom(f"{', '.join(names)} ↦ {value}"))


def listed(values: Sequence[Any]) -> str:
    """Arguments as they are written between brackets."""
    return ", ".join(str(shown(value)) for value in values)


def parameters(function: Callable[..., Any]) -> list[str]:
    """The names of a function's parameters; none if it takes whatever comes."""
    kinds = inspect.signature(function).parameters.values()
    return [each.name for each in kinds if each.kind is not inspect.Parameter.VAR_POSITIONAL]


@dataclass(frozen=True)
class Among:
    """A range: how it prints, and its members' names and sorts."""

    text: str
    members: tuple[str, ...]
    sorts: tuple[str, ...]

    def named(self, function: Callable[..., Any]) -> "Among":
        """The same with the members named as the function calls them."""
        names = parameters(function)
        return replace(self, members=tuple(names)) if names else self

    def terms(self) -> list[Any]:
        """The members as terms; a layout is a state of that name."""
        sorts = self.sorts if len(self.sorts) == len(self.members) else ("",) * len(self.members)
        return [
            named_state(name) if sort == "layout" else Shown(atom(name), sort)
            for name, sort in zip(self.members, sorts, strict=True)
        ]

    @property
    def head(self) -> str:
        """The members and the range, as they are written behind `for every`."""
        if self.text:
            return f"{', '.join(self.members)} in {self.text}"
        return ", ".join(
            name if name == sort else f"{sort} {name}" for name, sort in zip(self.members, self.sorts, strict=True)
        )


@dataclass(frozen=True)
class Table:
    """A field, with what is written to some of its entries."""

    name: str
    sort: str
    is_after: bool = False
    """It is a field of the state after."""
    of: str = ""
    """The state whose field it is, where states go by names."""
    updates: tuple[Formula, ...] = ()

    def __getitem__(self, key: Any) -> Shown:
        keys = key if isinstance(key, tuple) else (key,)
        return Shown(atom(f"{self.of and f'{self.of}.'}{shown(self)}[{listed(keys)}]"), self.sort)

    def set(self, key: Any, value: Any) -> "Table":
        """The field with one more entry."""
        keys = key if isinstance(key, tuple) else (key,)
        return self._with(listed(keys), value)

    def where(self, among: Among, value: Any) -> "Table":
        """An entry more for each member of a range."""
        if callable(value) and not isinstance(value, Shown):
            among = among.named(value)
            value = value(*among.terms()[: len(parameters(value))])
        return self._with(", ".join(among.members), value, f"for every {among.head}:")

    def _with(self, key: str, value: Any, head: str = "") -> "Table":
        entry = atom(f"{self.name}{PRIME}[{key}]")
        line = Formula(Level.COMPARED, (entry, shown(value, self.sort).formula), "=")
        if head:
            line = Formula(Level.QUANTIFIED, (line,), head)
        return replace(self, updates=(*self.updates, line))


class ShownState:
    """A state whose fields print; `but` notes what becomes of them, and `read` which of them were asked for.

    Where more than a state before and one after are spoken of, each has a label, and its fields print behind that.
    """

    def __init__(self, signature: Signature, read: set[str], *, is_after: bool = False, label: str = "") -> None:
        made_of = {**signature.fields, **signature.constants}
        self.fields = {
            name: _field(name, field, is_after and name in signature.fields, label) for name, field in made_of.items()
        }
        self.is_after, self.read, self.changed, self.label = is_after, read, tuple[str, ...](), label

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__["fields"]
        if name not in fields:
            raise AttributeError(f"the state has no field {name!r}")
        self.read.add(name)
        return fields[name]

    def but(self, **fields: Any) -> "ShownState":
        """The state with these fields instead."""
        copy = object.__new__(ShownState)
        copy.fields, copy.read, copy.label = {**self.fields, **fields}, self.read, self.label
        copy.is_after = True
        copy.changed = tuple(dict.fromkeys((*self.changed, *fields)))
        return copy

    def effect(self) -> list[str]:
        """What becomes of its fields, a line for each."""
        lines = []
        for name in self.changed:
            value = self.fields[name]
            updates = value.updates if isinstance(value, Table) else [_replaced(name, value)]
            lines += [line for update in updates for line in update.lines()]
        return lines


def _replaced(name: str, value: Any) -> Formula:
    return Formula(Level.COMPARED, (atom(name + PRIME), shown(value).formula), "=")


NAMED = Signature({**ARENA.fields, **CASE}, ARENA.constants)
"""What a state is made of that goes by a name: it may be a case of admission."""


def named_state(label: str) -> ShownState:
    """A state that goes by a name."""
    return ShownState(NAMED, set(), label=label)


def _field(name: str, field: Field, is_after: bool, label: str) -> Any:
    if field.keys:
        return Table(name, field.value, is_after, label if name not in ARENA.constants else "")
    return Shown(atom(name + PRIME if is_after else name), field.value)
