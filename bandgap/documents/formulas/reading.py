"""Runs the specification's functions on terms that print.

A function is run as it is written, with other globals: in the place of `And`, `Forall` and the like it finds ones that
make formulas, and in the place of the specification's words it finds ones that print their names. Nothing of the
specification is changed.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import FunctionType, ModuleType
from typing import Any

from bandgap.documents.formulas.layout import Formula, Level, atom
from bandgap.documents.formulas.terms import (
    OPPOSITE,
    PRIME,
    Among,
    Shown,
    ShownState,
    Table,
    listed,
    named_state,
    parameters,
    shown,
)
from spec import logic, ranges
from spec.admission.maps import Says
from spec.catalog import Action, Property
from spec.ranges import Range, Word
from spec.state import Signature, State

# ---------------------------------------------------------------------------------------------------- connectives


def _and(*parts: Any) -> Any:
    return _joined(Level.AND, "and", [part for part in parts if part is not True])


def _or(*parts: Any) -> Any:
    return _joined(Level.OR, "or", [part for part in parts if part is not False])


def _joined(level: Level, word: str, parts: list[Any]) -> Any:
    if not parts:
        return level is Level.AND
    if len(parts) == 1:
        return parts[0]
    return Shown(Formula(level, tuple(shown(part).formula for part in parts), word), "bool")


def _not(part: Any) -> Any:
    if isinstance(part, bool):
        return not part
    formula = part.formula
    if formula.level is Level.COMPARED:
        return Shown(replace(formula, text=OPPOSITE[formula.text]), "bool")
    if formula.level is Level.NOT:
        return Shown(formula.parts[0], "bool")
    if formula.text.endswith(NOT_EMPTY):
        return Shown(atom(formula.text.removesuffix(NOT_EMPTY) + " is empty"), "bool")
    return Shown(Formula(Level.NOT, (formula,), "not"), "bool")


def _implies(condition: Any, conclusion: Any) -> Any:
    if condition is False or conclusion is True:
        return True
    return Shown(Formula(Level.IMPLIES, (shown(condition).formula, shown(conclusion).formula), "⇒"), "bool")


def _if(condition: Any, yes: Any, no: Any) -> Any:
    # where both are plain numbers, the specification chooses between two statuses
    sort = yes.sort if isinstance(yes, Shown) else no.sort if isinstance(no, Shown) else "status"
    parts = (shown(condition), shown(yes, sort), shown(no, sort))
    return Shown(Formula(Level.CHOICE, tuple(part.formula for part in parts)), sort)


def _if_of_numbers(condition: Any, yes: Any, no: Any) -> Any:
    parts = (shown(condition), shown(yes), shown(no))
    return Shown(Formula(Level.CHOICE, tuple(part.formula for part in parts)))


def _larger(a: Any, b: Any) -> Any:
    return Shown(atom(f"larger({a}, {shown(b, a.sort)})"), a.sort)


# ---------------------------------------------------------------------------------------------------------- ranges

NOT_EMPTY = " is not empty"


def _among(among: Any) -> Among:
    if isinstance(among, str):
        sorts = tuple(among.split())
        return Among("", sorts, sorts)
    assert isinstance(among, Among)
    return among


def _quantified(word: str) -> Callable[[Any, Callable[..., Any]], Any]:
    def quantified(among: Any, body: Callable[..., Any]) -> Any:
        named = _among(among).named(body)
        if (said := body(*named.terms())) is True:
            return True
        return Shown(Formula(Level.QUANTIFIED, (shown(said).formula,), f"{word} {named.head}:"), "bool")

    return quantified


def _total(sorts: str, of: Callable[..., Any]) -> Shown:
    named = _among(sorts).named(of)
    summed = shown(of(*named.terms())).formula
    return Shown(Formula(Level.QUANTIFIED, (summed,), f"the sum over every {named.head} of"), "count")


def _count(sorts: str, body: Callable[..., Any]) -> Shown:
    named = _among(sorts).named(body)
    counted = shown(body(*named.terms())).formula
    return Shown(Formula(Level.QUANTIFIED, (counted,), f"the number of {named.head} with"), "count")


def _some(among: Any) -> Shown:
    return Shown(atom(f"{_among(among).text}{NOT_EMPTY}"), "bool")


def _union(word: "ShownWord", s: Any, among: Any) -> Among:
    inner = _among(among)
    named = _among(word(s, *inner.terms()))
    return replace(named, text=f"{named.text} for some {inner.head}")


CONNECTIVES: Mapping[Any, Any] = {
    logic.And: _and,
    logic.Or: _or,
    logic.Not: _not,
    logic.Implies: _implies,
    logic.If: _if,
    logic.larger: _larger,
    ranges.Forall: _quantified("for every"),
    ranges.Exists: _quantified("for some"),
    ranges.Some: _some,
    ranges.union: _union,
    ranges.Total: _total,
    ranges.Where: lambda condition, conclusion: _implies(condition, conclusion()),
    ranges.Count: _count,
}
"""What stands in the place of what the specification is written with."""


# ----------------------------------------------------------------------------------------------------------- words


@dataclass(frozen=True)
class Definition:
    """A word of the specification: what it says in prose, and the function that says it exactly."""

    name: str
    prose: str
    function: Callable[..., Any]
    members: int = 0
    """How many of its last parameters are what a member of the range is made of; 0 if it is no range."""
    sorts: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """The word as it is written in formulas; a range has a member of it before."""
        names = [name for name in parameters(self.function) if name not in STATES]
        given, members = names[: len(names) - self.members], names[len(names) - self.members :]
        said = f"{self.name}({', '.join(given)})" if given else self.name
        return f"{', '.join(members)} in {said}" if members else said


class ShownWord:
    """A word in a formula: it prints its name, and remembers that it was used."""

    def __init__(self, definition: Definition, used: dict[str, Definition]) -> None:
        self.definition, self.used = definition, used

    def __call__(self, *arguments: Any) -> Any:
        """The word as a term, or the range that it is."""
        text = self._said(arguments)
        if not self.definition.members:
            return Shown(atom(text))
        members = parameters(self.definition.function)[-self.definition.members :]
        return Among(text, tuple(members), self.definition.sorts)

    def holds(self, *arguments: Any) -> Shown:
        """The word of one member, as a condition."""
        return Shown(atom(self._said(arguments)), "bool")

    def _said(self, arguments: tuple[Any, ...]) -> str:
        known = self.used.setdefault(self.definition.name, self.definition)
        if known.function is not self.definition.function:
            raise ValueError(f"two words are called {known.name!r}: a reader could not tell them apart")
        states = [each for each in arguments if isinstance(each, ShownState) and not each.label]
        prime = PRIME if states and all(state.is_after for state in states) else ""
        given = [each for each in arguments if not isinstance(each, ShownState) or each.label]
        return f"{self.definition.name}{prime}({listed(given)})" if given else f"{self.definition.name}{prime}"


class ShownStateWord(ShownWord):
    """A word for a state that is made of others."""

    def __call__(self, *arguments: Any) -> ShownState:
        """The state, which goes by what it is made of."""
        return named_state(self._said(arguments))


# --------------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True)
class Naming:
    """How functions are read that speak of several states, each of which goes by its parameter's name."""

    inlined: frozenset[str] = frozenset()
    """Functions that would be words, and print what they say instead."""
    states: frozenset[str] = frozenset()
    """Functions that make a state, and print their names."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Names of the specification's numbers, and how they print."""
    has_numbers: bool = False
    """What is chosen between two plain numbers is a number, and no status."""


class Printing:
    """The printing reading; `used` are the words that were met so far."""

    def __init__(self, signature: Signature, naming: Naming | None = None) -> None:
        self.signature, self.naming = signature, naming
        self.used: dict[str, Definition] = {}
        self.read: set[str] = set()
        """The fields that were read so far."""
        self._globals: dict[int, dict[str, Any]] = {}

    def guard(self, action: Action) -> Iterator[tuple[str, list[str], str]]:
        """Each sentence, its condition in lines, and the property that could fail without it."""
        sentences = self._printed(action.guard)(self._state(), *_arguments(action))
        for text, condition, protects in sentences:
            yield text, shown(condition).formula.lines(), protects

    def after(self, action: Action) -> ShownState:
        """The state that an action leaves."""
        after = self._printed(action.effect)(self._state(), *_arguments(action))
        assert isinstance(after, ShownState)
        return after

    def holds(self, claim: Property) -> list[str]:
        """What a property says, in lines."""
        states = [self._state(), self._state(is_after=True)]
        return shown(self._printed(claim.holds)(*states[: len(parameters(claim.holds))])).formula.lines()

    def made(self, function: Callable[..., Any], action: Action) -> Any:
        """What a function makes of a state and the arguments of an action."""
        return self._printed(function)(self._state(), *_arguments(action))

    def said(self, function: Callable[..., Any], **given: Any) -> list[str]:
        """What a function of named states says, in lines; others than states may be given."""
        return shown(self._printed(function)(*self._of_parameters(function, given))).formula.lines()

    def named_definition(self, word: Definition) -> list[str]:
        """What a word of named states means, in lines; of a state, what it has instead of what it is made of."""
        said = self._printed(word.function)(*self._of_parameters(word.function, {}))
        if not isinstance(said, ShownState):
            return shown(said).formula.lines()
        return [line for name in said.changed for line in _entry(name, said.fields[name]).lines()]

    @staticmethod
    def _of_parameters(function: Callable[..., Any], given: Mapping[str, Any]) -> list[Any]:
        annotations = function.__annotations__
        names = [each.name for each in inspect.signature(function).parameters.values() if each.default is each.empty]
        return [
            given[name] if name in given else named_state(name) if annotations[name] is State else _named(name)
            for name in names
        ]

    def definition(self, word: Definition) -> list[str]:
        """What a word means, in lines."""
        parts = [name for name in parameters(word.function) if name not in STATES]
        states = [name for name in parameters(word.function) if name in STATES]
        made = [self._state(), self._state(is_after=True)][: len(states)]
        annotations = word.function.__annotations__
        arguments = [
            Among(name, ("band", "page"), ("band", "page")) if annotations.get(name) == Range else _named(name)
            for name in parts
        ]
        said = self._printed(word.function)(*made, *arguments)
        if isinstance(said, Table):
            return [line for update in said.updates for line in update.lines()]
        return shown(said).formula.lines()

    def _state(self, *, is_after: bool = False) -> ShownState:
        return ShownState(self.signature, self.read, is_after=is_after)

    def _printed(self, function: Any) -> Any:
        """The same function among globals that print."""
        assert isinstance(function, FunctionType)
        return FunctionType(
            function.__code__,
            self._among(function.__globals__),
            function.__name__,
            tuple(self._in_place_of(default) for default in function.__defaults__ or ()) or None,
            function.__closure__,
        )

    def _among(self, original: dict[str, Any]) -> dict[str, Any]:
        if id(original) not in self._globals:
            printing = self._globals[id(original)] = dict(original)
            for name, value in original.items():
                if not name.startswith("__"):
                    printing[name] = self._in_place_of(value)
                    if self.naming and name in self.naming.spelled:
                        printing[name] = Shown(atom(self.naming.spelled[name]))
        return self._globals[id(original)]

    def _in_place_of(self, value: Any) -> Any:
        if value is logic.If and self.naming and self.naming.has_numbers:
            return _if_of_numbers
        if isinstance(value, FunctionType | Word) and value in CONNECTIVES:
            return CONNECTIVES[value]
        if isinstance(value, Word):
            return ShownWord(definition_of(value), self.used)
        if isinstance(value, Action):
            return replace(value, guard=self._printed(value.guard), effect=self._printed(value.effect))
        if isinstance(value, Property):
            return replace(value, holds=self._printed(value.holds))
        if self.naming and isinstance(value, dict) and any(map(callable, value.values())):
            return {key: self._in_place_of(each) for key, each in value.items()}
        if self.naming and isinstance(value, FunctionType) and value.__name__ in self.naming.inlined:
            return self._printed(value)
        if self.naming and isinstance(value, FunctionType) and value.__name__ in self.naming.states:
            return ShownStateWord(definition_of(value), self.used)
        if isinstance(value, FunctionType) and _is_of_spec(value.__module__):
            return ShownWord(definition_of(value), self.used) if is_word(value) else self._printed(value)
        if isinstance(value, ModuleType) and _is_of_spec(value.__name__):
            return _Names(self._among(vars(value)))
        return value


def _entry(name: str, says: Says) -> Formula:
    keys = [Shown(atom(key)) for key in parameters(says.of)] or [Shown(atom("band")), Shown(atom("page"))]
    entry = atom(f"{name}[{listed(keys)}]")
    return Formula(Level.COMPARED, (entry, shown(says[tuple(keys) if len(keys) > 1 else keys[0]]).formula), "=")


STATES = ("s", "after")
"""Parameters that are states."""


class _Names:
    """A module's names among globals that print, which may not all be there yet."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names

    def __getattr__(self, name: str) -> Any:
        return self._names[name]


def _arguments(action: Action) -> list[Shown]:
    names = parameters(action.guard)[1:]
    return [Shown(atom(name), sort) for name, sort in zip(names, action.sorts, strict=True)]


def is_word(function: FunctionType) -> bool:
    """Whether a function of the specification goes by its name in formulas: it says something of a state."""
    said = function.__annotations__.get("return")
    is_public = not function.__name__.startswith("_") and function.__doc__ is not None
    return is_public and said is Any and function.__module__ not in (logic.__name__, ranges.__name__)


def definition_of(word: Any) -> Definition:
    """The definition of a word, be it a range or not."""
    function = word.holds if isinstance(word, Word) else word
    prose = " ".join((function.__doc__ or "").split("\n\n")[0].split())
    sorts = tuple(word.sorts) if isinstance(word, Word) else ()
    return Definition(function.__name__, prose, function, len(sorts), sorts)


def _is_of_spec(module: str) -> bool:
    return module.split(".")[0] == "spec"


def _named(name: str) -> Shown:
    return Shown(atom(name), "mode" if name.endswith("mode") else "")
