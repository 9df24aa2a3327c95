"""What is promised of admission, printed: each promise, and the words in which it is written."""

import inspect
import re
from functools import cache

from bandgap.documents.formulas.reading import Definition, Naming, Printing
from bandgap.documents.formulas.terms import ShownState, named_state, parameters, shown
from spec.admission.layouts import DEFINITION
from spec.admission.promises import DECISION, PROMISES
from spec.catalog import prose_of
from spec.counts import COUNTED
from spec.specification import ACTIONS
from spec.state import ARENA, Signature

NAMING = Naming(
    inlined=frozenset({"is_legal", "contains_fixed", "gives_enough", "same"}),
    states=frozenset({"settled", "without", "at_turn", "asked", "when_empty", "when_all_are_gone", "when_given_up"}),
    spelled={
        "COMPACT_ENDS": "compact-the-ends",
        "RELAYOUT": "relayout",
        "SHRINKS": "shrinks",
        "MOVES_RIGHT": "moves-right",
        "MOVES_LEFT": "moves-left",
        "GROWS": "grows",
    },
)

NUMBERS = Naming(has_numbers=True)

BY_PROSE = frozenset({"settled", "without", "first", "is_among", "all_but"})
"""Words about lists of tickets; their prose is all that there is to say."""


MEANINGS = {
    "admission-sound": "Of every arena now, and everything that was asked and decided:",
    "retry-terminates": "Of every arena now, everything that was asked and decided, and the arena then, when all that "
    "the refusal names was given up:",
    "rank-agreement": "Of every two ranks, and both after the same action:",
    "conservation": "Of every state that can be reached:",
}
"""What a formula is about."""


def about(name: str) -> str:
    """What a formula is about."""
    return MEANINGS.get(name, MEANINGS["admission-sound"])


def prose(name: str) -> str:
    """What a promise says."""
    return prose_of(PROMISES[name])


def named_in(name: str) -> list[tuple[str, str]]:
    """The names in a promise that are neither words nor bound by it, and what each says."""
    text = " ".join(formula(name))
    said = {"now": "the arena when it is asked", "then": "the arena afterwards", "layout": "any spans of a legal state"}
    said |= {each: field.prose for each, field in DECISION.items()}
    return [(each, prose) for each, prose in said.items() if re.search(rf"\b{each}\b", text)]


@cache
def formula(name: str) -> tuple[str, ...]:
    """A promise in lines."""
    return tuple(_printing(name)[0])


@cache
def words(name: str) -> tuple[tuple[Definition, tuple[str, ...]], ...]:
    """The words of a promise, and those in which they are defined, each with its formula."""
    printing = _printing(name)[1]
    found: dict[str, tuple[str, ...]] = {}
    while waiting := [each for each in printing.used.values() if each.name not in found]:
        for word in waiting:
            found[word.name] = () if word.name in BY_PROSE else tuple(printing.named_definition(word))
    return tuple((printing.used[each], said) for each, said in found.items())


def named_call(word: Definition) -> str:
    """A word as it is written where states go by names."""
    optional = inspect.signature(word.function).parameters
    names = [name for name in parameters(word.function) if optional[name].default is inspect.Parameter.empty]
    given, members = names[: len(names) - word.members], names[len(names) - word.members :]
    said = f"{word.name}({', '.join(given)})"
    return f"{', '.join(members)} in {said}" if members else said


def _printing(name: str) -> tuple[list[str], Printing]:
    printing = Printing(ARENA, NAMING)
    return printing.said(PROMISES[name], **({"d": _decision()} if "d" in parameters(PROMISES[name]) else {})), printing


def _decision() -> ShownState:
    shown = ShownState(Signature(DECISION, {}), set())
    shown.fields["spans"] = named_state("spans")
    return shown


def legal_layout() -> list[str]:
    """What makes a layout legal, sentence by sentence, each with its formula below it."""
    found = []
    for sentence in DEFINITION.values():
        formula = Printing(ARENA, NAMING).said(sentence, s=named_state("layout"))
        found += [" ".join((sentence.__doc__ or "").split()), *(f"    {line}" for line in formula)]
    return found


def changes() -> list[tuple[str, tuple[str, ...]]]:
    """What each action of one page or two does to the counters of live pages, withheld ones and holes."""
    found = []
    for name, change in COUNTED.items():
        made = Printing(ARENA, NUMBERS).made(change, ACTIONS[name])
        found.append((name, tuple(_change(part) for part in (made.live, made.withheld, made.holes))))
    return found


def _change(part: object) -> str:
    text = str(shown(part))
    return "" if text == "0" else text.removeprefix("(").removesuffix(")") if text.startswith("(") else text
