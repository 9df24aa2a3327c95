"""All that documents say of actions and properties, gathered from the registries that the checkers use."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from bandgap.documents.formulas.reading import Definition, Printing
from fuzz.faults.all import FAULTS as FAULTS_OF_CODE
from properties.faults import FAULTS as FAULTS_OF_SPECIFICATION
from properties.known import weakenings
from properties.obligations import Obligation, obligations
from properties.specification import SPECIFICATIONS, Specification, changed_actions
from spec.catalog import Action, Property, sentence_name

TABLES = {"invariants": "invariant", "steps": "step", "theorems": "theorem"}
"""The tables of a specification, and what a property of each is called."""


@dataclass(frozen=True)
class SentenceEntry:
    """A sentence of a guard."""

    text: str
    condition: tuple[str, ...]
    protects: str
    """The property that could fail without it."""
    weakening: str
    """The name under which `bandgap prove` leaves it out; empty where that is shown of another action."""


@dataclass(frozen=True)
class FaultEntry:
    """A seeded fault, as documents tell of it."""

    name: str
    prose: str
    where: str
    """The specification, or the level of the code."""
    property: str
    precedent: str


@dataclass(frozen=True)
class ActionEntry:
    """An action, as documents tell of it."""

    action: Action
    specification: Specification
    sentences: tuple[SentenceEntry, ...]
    effect: tuple[str, ...]
    changes: tuple[str, ...]
    """The fields that it changes."""
    words: tuple[str, ...]
    """The words of its guard and effect, and those in which these are defined."""
    obligations: tuple[Obligation, ...]
    faults: tuple[FaultEntry, ...]
    is_base: bool
    """It is the base's as it is, and everything that can be said of it is said there."""

    @property
    def name(self) -> str:
        """The name of the action."""
        return self.action.name

    @property
    def call(self) -> str:
        """The action with its arguments, and their sorts where the names do not say them."""
        names = list(inspect.signature(self.action.guard).parameters)[1:]
        said = [
            name if name == sort else f"{name}: {sort}" for name, sort in zip(names, self.action.sorts, strict=True)
        ]
        return f"{self.name}({', '.join(said)})"


@dataclass(frozen=True)
class PropertyEntry:
    """A property, as documents tell of it."""

    claim: Property
    kind: str
    """Invariant, step or theorem."""
    specification: Specification
    formula: tuple[str, ...]
    words: tuple[str, ...]
    """The words of the formula, and those in which these are defined."""
    reads: tuple[str, ...]
    """The fields that it speaks of."""
    obligations: tuple[Obligation, ...]
    sentences: tuple[tuple[str, str], ...]
    """The guard sentences that name it, each with its action."""
    faults: tuple[FaultEntry, ...]
    touched_by: tuple[str, ...]
    """The actions that change a field of which it speaks."""

    @property
    def name(self) -> str:
        """The name of the property."""
        return self.claim.name


@dataclass(frozen=True)
class WordEntry:
    """A word, with what it says in prose and exactly."""

    name: str
    call: str
    prose: str
    formula: tuple[str, ...]
    of: str
    """What it speaks of: the arena or the device."""


@dataclass(frozen=True)
class Catalogue:
    """Every action, property and word."""

    actions: Mapping[str, ActionEntry]
    properties: Mapping[str, PropertyEntry]
    words: Mapping[str, WordEntry]


@cache
def catalogue() -> Catalogue:
    """Everything that is registered."""
    actions: dict[str, ActionEntry] = {}
    for whole in SPECIFICATIONS:
        actions |= {name: _action(whole, action) for name, action in whole.actions.items()}
    properties: dict[str, PropertyEntry] = {}
    words: dict[str, Definition] = {}
    for whole in SPECIFICATIONS:
        for table, kind in TABLES.items():
            for name, claim in whole.own(table).items():
                properties[name] = _property(whole, kind, claim, actions, words)
        for action in whole.actions.values():
            printing = Printing(whole.signature)
            list(printing.guard(action))
            printing.after(action)
            words |= _closed(printing)
    return Catalogue(actions, properties, {name: _word(word) for name, word in sorted(words.items())})


def all_faults() -> tuple[FaultEntry, ...]:
    """Every seeded fault, of the specification and of the code."""
    of_specification = (
        FaultEntry(each.name, each.says.partition(": ")[2], "specification", each.property, each.precedent)
        for each in FAULTS_OF_SPECIFICATION.values()
    )
    of_code = (
        FaultEntry(each.name, each.prose, each.level, each.property, each.precedent) for each in FAULTS_OF_CODE.values()
    )
    return (*of_specification, *of_code)


def _action(whole: Specification, action: Action) -> ActionEntry:
    printing = Printing(whole.signature)
    known = weakenings()
    sentences = []
    for text, condition, protects in printing.guard(action):
        name = sentence_name(action, text)
        sentences.append(SentenceEntry(text, tuple(condition), protects, name if name in known else ""))
    after = printing.after(action)
    faults = [each for each in all_faults() if each.where == "specification" and _acts(each.name) == action.name]
    return ActionEntry(
        action,
        whole,
        tuple(sentences),
        tuple(after.effect()),
        after.changed,
        tuple(_closed(printing)),
        tuple(obligation for obligation in _obligations(whole) if obligation.stage == action.name),
        tuple(faults),
        whole.base is not None and action.name not in changed_actions(whole),
    )


def _property(
    whole: Specification,
    kind: str,
    claim: Property,
    actions: Mapping[str, ActionEntry],
    words: dict[str, Definition],
) -> PropertyEntry:
    printing = Printing(whole.signature)
    formula = printing.holds(claim)
    of_claim = _closed(printing)
    words |= of_claim
    reads = [name for name in whole.signature.fields if name in printing.read]
    sentences = [
        (entry.name, sentence.text)
        for entry in actions.values()
        for sentence in entry.sentences
        if sentence.protects == claim.name and not entry.is_base
    ]
    return PropertyEntry(
        claim,
        kind,
        whole,
        tuple(formula),
        tuple(of_claim),
        tuple(reads),
        tuple(
            obligation for each in SPECIFICATIONS for obligation in _obligations(each) if _is_about(obligation, claim)
        ),
        tuple(sentences),
        tuple(fault for fault in all_faults() if fault.property == claim.name),
        tuple(
            name.removeprefix(whole.prefix) if entry.is_base else name
            for name, entry in actions.items()
            if entry.specification is whole and set(entry.changes) & set(reads)
        ),
    )


def _closed(printing: Printing) -> dict[str, Definition]:
    """The words that were met, and those in which they are defined."""
    done: set[str] = set()
    while waiting := sorted(printing.used.keys() - done):
        for name in waiting:
            printing.definition(printing.used[name])
            done.add(name)
    return dict(printing.used)


def _word(word: Definition) -> WordEntry:
    whole = SPECIFICATIONS[-1 if "device" in word.function.__module__ else 0]
    formula = Printing(whole.signature).definition(word)
    return WordEntry(word.name, word.call, word.prose, tuple(formula), whole.prefix.rstrip("/") or "arena")


@cache
def _obligations_at(number: int) -> tuple[Obligation, ...]:
    return obligations(SPECIFICATIONS[number])


def _obligations(whole: Specification) -> Sequence[Obligation]:
    return _obligations_at(SPECIFICATIONS.index(whole))


def _is_about(obligation: Obligation, claim: Property) -> bool:
    return obligation.property == claim.name


def _acts(fault: str) -> str:
    return fault.split(".")[0]
