"""What is said of an action and of a property, the same on a forge and on a page of its own."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bandgap.documents.catalogue import ActionEntry, FaultEntry, PropertyEntry, SentenceEntry, catalogue
from bandgap.documents.drawing import of_offence, of_scene
from bandgap.documents.exercised import exercised_parts, killed_parts
from bandgap.documents.markdown import bullets, code, fenced, indented, sentence, table
from bandgap.documents.notes import note_of
from bandgap.documents.precedents import linked
from bandgap.documents.scenes.all import Offended, example_of, offence_of
from bandgap.phrases import counted, listed
from bandgap.pictures import Arena
from bandgap.pictures.wording import changes, event, facts, members
from properties.examples import Example
from properties.known import weakenings
from properties.obligations import Kind, Obligation

MEMBERS = 3
"""At most so many of the things that a property is false of are named."""

SHORT = 60
"""Characters that a condition may have to be written in its sentence's line."""

FAR = "device/"
"""How the names of actions begin of which the engine's campaigns do not tell."""

FACTS = 12
"""Sentences about what a picture does not show; a page in use has several."""


@dataclass(frozen=True)
class Style:
    """How a document links and draws."""

    link: Callable[[str], str]
    """A link to an action or a property."""
    draw: Callable[[Sequence[tuple[str, Arena]], str], str]
    """Arenas, each with what it is called, and what happens between the first and the second."""
    heading: Callable[[str], str]
    """The heading of a part."""
    fold: Callable[[str, str], str]
    """A long list, behind what it is called."""
    words: Callable[[Sequence[str]], str]
    """A pointer to where the words of formulas are explained."""
    how_to_read: str
    """A pointer to how formulas are read; empty where that is said once for all."""
    proof: str
    """A pointer to what a green proof means; empty where no link may lead there."""


def action_parts(entry: ActionEntry, style: Style) -> Iterator[str]:
    """What is said of an action, below its heading."""
    yield f"{entry.action.prose}\n\n{code(entry.call)}"
    yield style.heading("When it may happen")
    yield "\n".join(_sentence(one, entry, style) for one in entry.sentences) or "At any time."
    yield style.heading("What it leaves")
    yield fenced(entry.effect)
    yield note_of(entry.name, style.link)
    yield style.how_to_read
    yield words_of(entry.words, style)
    yield style.heading("Example")
    shown = example_of(entry.name)
    before, after = of_scene(shown)
    yield style.draw([("before", before), ("after", after)], event(shown.example))
    yield _facts(shown.example)
    yield "What changed:\n\n" + bullets(code(change) for change in changes(shown.example))
    yield style.heading("Proved")
    yield from of_obligations(entry.obligations, entry.name, style)
    for other in catalogue().actions.values():
        prefix = other.specification.prefix
        if other.is_base and other.name == prefix + entry.name:
            again = code(f"bandgap prove {other.name}")
            yield (
                f"With a {prefix.rstrip('/')} added the action is the same, and {len(other.obligations)} obligations "
                f"more say that it keeps what is true then: {again}."
            )
    if not entry.name.startswith(FAR):
        yield style.heading("Exercised")
        yield from exercised_parts(entry.name, entry.sentences)
    killed = tuple(killed_parts(entry.sentences))
    if entry.faults or killed:
        yield style.heading("Seeded faults")
    if entry.faults:
        yield of_faults(entry.faults, style, with_property=True)
    yield from killed


def property_parts(entry: PropertyEntry, style: Style) -> Iterator[str]:
    """What is said of a property, below its heading."""
    yield entry.claim.prose
    yield f"{KIND_PROSE[entry.kind]}\n\n{fenced(entry.formula)}"
    yield note_of(entry.name, style.link)
    yield style.how_to_read
    yield words_of(entry.words, style)
    yield style.heading("Example")
    yield from _of_offence(offence_of(entry.name), style)
    yield style.heading("What keeps it")
    yield from _of_keeping(entry, style)
    yield style.heading("Proved")
    yield from of_obligations(entry.obligations, entry.name, style)
    yield style.heading("Seeded faults that must break it")
    yield of_faults(entry.faults, style) if entry.faults else _without_faults(entry)


def _without_faults(entry: PropertyEntry) -> str:
    left_out = [name for name, each in weakenings().items() if each.property == entry.name and not each.precedent]
    if left_out:
        return f"None names it. It must break without {listed([code(name) for name in left_out])}."
    return "None names it, but others break it too: `bandgap prove` would call it idle if nothing did."


def word_lines(call: str, prose: str, formula: Sequence[str]) -> list[str]:
    """A word in lines: how it is written, what it says in prose, and exactly."""
    return [call, f"    {prose}", *(f"        {line}" for line in formula), ""]


def words_of(names: Sequence[str], style: Style) -> str:
    """The words of some formulas, each with what it says."""
    known = [catalogue().words[name] for name in names]
    lines = [line for word in known for line in word_lines(word.call, word.prose, word.formula)]
    if not lines:
        return ""
    told = style.fold("The words of these formulas", fenced(lines[:-1]))
    return f"{style.words(names)}\n\n{told}" if told else ""


KIND_PROSE = {
    "invariant": "True of every state that can be reached:",
    "step": "True of every step, from a state to the next (marked with a prime):",
    "theorem": "Follows from the invariants, so that it is true of every state that can be reached:",
}


def _sentence(one: SentenceEntry, entry: ActionEntry, style: Style) -> str:
    """An item of a numbered list."""
    shown = "" if one.weakening else f", as is shown of {style.link(_tried_of(one, entry))}"
    without = f"Without it {style.link(one.protects)} could fail{shown}."
    if len(one.condition) == 1 and len(one.condition[0]) <= SHORT:
        return f"1. {sentence(one.text).rstrip('.')}: {code(one.condition[0])}. {without}"
    return f"1. {sentence(one.text)} {without}\n\n" + indented(fenced(one.condition) + "\n")


def _tried_of(one: SentenceEntry, entry: ActionEntry) -> str:
    """The action of the base of which a sentence is left out that an action has from it."""
    assert entry.specification.base is not None
    tried = [
        name
        for name in entry.specification.base.actions
        if any(of.text == one.text and of.weakening for of in catalogue().actions[name].sentences)
    ]
    return min(tried, key=lambda name: not entry.name.endswith(f"/{name}"))


def _of_keeping(entry: PropertyEntry, style: Style) -> Iterator[str]:
    if entry.sentences:
        by_action: dict[str, list[str]] = {}
        for action, text in entry.sentences:
            by_action.setdefault(action, []).append(text)
        yield "These sentences of guards are there for it:"
        yield bullets(f"{style.link(action)}: {'; '.join(texts)}" for action, texts in by_action.items())
    else:
        yield "No sentence of a guard is there for it alone: it follows from what effects do, and from the others."
    touching = listed([style.link(name) for name in entry.touched_by])
    fields = listed([code(name) for name in entry.reads])
    yield f"It speaks of {fields}, which {'is' if len(entry.reads) == 1 else 'are'} changed by {touching}."


def of_obligations(asked: Sequence[Obligation], name: str, style: Style) -> Iterator[str]:
    """How many obligations there are, of which kinds, and what they are called."""
    kinds = [(sum(one.kind is kind for one in asked), words) for kind, words in KIND_WORDS.items()]
    told = listed([f"{count} {words}" for count, words in kinds if count])
    total = counted(len(asked), "obligation")
    yield f"{total}, each for any arena ({told}). {code(f'bandgap prove {name}')} shows it again."
    yield style.fold("The obligations", listed([code(one.name) for one in asked]))


KIND_WORDS = {
    Kind.LEMMA: "lemmas",
    Kind.INITIAL: "at the start",
    Kind.THEOREM: "from the invariants",
    Kind.INDUCTIVE: "that what was true stays true",
    Kind.STEP: "that the step is a legal one",
    Kind.ADMISSION: "parts of theorems",
}


def of_faults(faults: Sequence[FaultEntry], style: Style, *, with_property: bool = False) -> str:
    """A table of seeded faults."""
    heads = ["fault", "in the", "what is wrong", *(["must break"] if with_property else []), "seen in the field"]
    return table(
        heads,
        [
            [
                code(fault.name),
                fault.where,
                sentence(fault.prose),
                *([style.link(fault.property)] if with_property else []),
                linked(fault.precedent),
            ]
            for fault in faults
        ],
    )


def _of_offence(offended: Offended, style: Style) -> Iterator[str]:
    broken = offended.broken
    before, after = of_offence(broken)
    happened = ", then ".join(event(example) for example in broken.examples)
    yield _refusal(offended, style)
    yield style.draw([("legal", before), ("had it been done", after)], happened)
    yield _facts(broken.examples[0])
    found = [members(member) for member in broken.culprits[:MEMBERS] if member]
    more = len(broken.culprits) - len(found)
    of = f" of {listed(found)}{f', and of {more} more' if more and found else ''}" if found else ""
    yield f"The property would then be false{of}."


def _refusal(offended: Offended, style: Style) -> str:
    broken = offended.broken
    first = event(broken.examples[0])
    if broken.fault:
        fault = code(broken.fault)
        return (
            f"No guard refuses {code(first)}: its effect keeps the property. With the seeded fault {fault} it does not:"
        )
    if offended.finding:
        return f"The judge refuses {code(first)}:\n\n{fenced([offended.finding])}"
    sentences = "; ".join(f"{text} (for {style.link(protects)})" for text, protects in broken.refused)
    return f"The specification refuses {code(first)}. Not so: {sentences}."


def _facts(example: Example) -> str:
    """What the picture of the state before does not show, of the tickets that have a part in it."""
    known = list(facts(example.before))
    about = {ticket for fact in known if not _is_standing(fact) for ticket in TICKET.findall(fact)}
    about |= set(TICKET.findall(event(example)))
    told = [fact for fact in known if not _is_standing(fact) or about.issuperset(TICKET.findall(fact))]
    return f"Before:\n\n{bullets(told)}" if told and len(told) <= FACTS else ""


TICKET = re.compile(r"\bt\d+\b")


def _is_standing(fact: str) -> bool:
    """It never changes, and is of interest only if its tickets are."""
    return " runs before " in fact or fact.endswith(" is a network transfer")
