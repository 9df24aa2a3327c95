"""What is said besides formulas: of things that there are, with links that lead somewhere; and what was left out."""

import re

from bandgap.documents.catalogue import catalogue
from bandgap.documents.entries import property_parts
from bandgap.documents.necessity import left_out, repeated, sentences
from bandgap.documents.notes import NAMED, NOTES, note_of
from bandgap.documents.semantics import FORGE
from bandgap.documents.trust import trust
from properties.known import is_fault, weakenings


def test_every_note_is_of_something_and_its_links_lead_somewhere() -> None:
    whole = catalogue()
    known = {*whole.actions, *whole.properties}
    assert set(NOTES) <= known
    named = [name for note in NOTES.values() for name in NAMED.findall(note)]
    assert len(named) >= 6
    assert set(named) <= known
    assert "[[" not in note_of("conservation", str)
    assert note_of("hold", str) == ""


def test_a_page_that_a_fault_loses_looks_like_nothing_else() -> None:
    part = "\n".join(property_parts(catalogue().properties["conservation"], FORGE))
    before, after = part.split("had it been done")
    assert "│???│" in after
    assert "?" not in before.split("```text")[-1]


def test_the_sentences_that_are_left_out_add_up() -> None:
    once, of, theorems, others = map(int, re.findall(r"\d+", left_out()))
    assert (of, others) == (sentences(), repeated())
    assert once + others == of
    assert once + theorems == sum(not is_fault(name) for name in weakenings())
    assert left_out() in trust()
