"""The trust ledger: whole, up to date, and nothing assumed that it does not list."""

import functools
from collections import Counter
from dataclasses import replace

import pytest

from bandgap.documents.admitted import PROSE, by_property, shown
from bandgap.documents.catalogue import all_faults, catalogue
from bandgap.documents.trust import trust
from bandgap.documents.writing import MAKE
from properties import assumptions
from properties.assumptions import ASSUMPTIONS, ENCODINGS, stages, unlisted
from properties.obligations import Kind, obligations
from properties.selection import everything
from properties.specification import SPECIFICATIONS
from properties.unbounded import OPAQUE
from spec.judge.checks import CHECKS
from tests.docs.links import anchors_of, links_of
from tests.house.walls import ROOT


@functools.cache
def text() -> str:
    return trust()


given_at = functools.cache(lambda number, stage: assumptions.given_at(SPECIFICATIONS[number], stage))

STAGES = [(number, stage) for number, whole in enumerate(SPECIFICATIONS) for stage in stages(whole)]


def test_it_is_up_to_date() -> None:
    assert (ROOT / "docs/trust.md").read_text() == text(), f"the documents are out of date: run {MAKE}"


def test_it_lists_every_axiom_assumption_theorem_and_check() -> None:
    for whole in SPECIFICATIONS:
        for name, axiom in whole.axioms.items():
            assert f"| `{name}` | {axiom.prose} |" in text()
            assert f"`{whole.stage(Kind.LEMMA)} x {name}`" in text()
    for name, assumption in {**ASSUMPTIONS, **ENCODINGS}.items():
        assert name in text()
        assert assumption.prose in text()
    for theorems in by_property().values():
        told = list(shown(theorems))
        assert all(f"- {line}" in text() for line in told)
        for name, theorem in theorems:
            of_actions, _, action = name.partition(".")
            alone = f"`{name}`: {theorem.prose}"
            assert any(line.startswith(alone) for line in told) or any(
                line.startswith(f"`{of_actions}`: ") and f"`{action}`" in line for line in told
            )
            for other in theorem.leans_on:
                assert any(line.startswith(alone) and f"`{other}`" in line for line in told), other
    assert any(theorem.leans_on for theorems in by_property().values() for _, theorem in theorems)
    for name, prose in CHECKS.items():
        assert f"| `{name}` | {prose} |" in text()
    assert set(by_property()) == {*PROSE, "conservation"}, "a property of admission says nothing of itself"
    assert all(sort in ENCODINGS["opaque sorts"].prose.lower().replace("ids", "vids") for sort in OPAQUE)


def test_it_counts_the_obligations() -> None:
    every = everything().obligations
    count = Counter(one.kind for one in every)
    kinds = [kind for kind in Kind if kind is not Kind.CONTRACT]
    assert all(count[kind] for kind in kinds)
    assert len(every) >= 1_400
    assert f"| together | {' | '.join(str(count[kind]) for kind in kinds)} | **{len(every)}** |" in text()
    for whole in SPECIFICATIONS:
        assert f"**{len(obligations(whole))}**" in text()


@pytest.mark.parametrize(("specification", "stage"), STAGES)
def test_a_proof_is_given_nothing_that_is_not_listed(specification: int, stage: str) -> None:
    whole = SPECIFICATIONS[specification]
    at = given_at(specification, stage)
    assert len(at.given) >= 1
    assert unlisted(whole, at, stage) == ()


def test_something_that_is_given_besides_is_found() -> None:
    whole = SPECIFICATIONS[0]
    at = given_at(0, "move")
    assert unlisted(whole, replace(at, given=(*at.given, ("no page is ever freed", True))), "move") == (
        "no page is ever freed",
    )
    # a sentence of another action's guard is none of this one's
    assert unlisted(whole, given_at(0, "hold"), "move") != ()


def test_no_listed_assumption_is_idle() -> None:
    used = {name for number, stage in STAGES for name, _ in given_at(number, stage).given}
    assert set(ASSUMPTIONS) <= used


def test_what_only_tests_cover_is_what_faults_name_and_no_proof_speaks_of() -> None:
    proved = {*catalogue().properties, *(name for name, theorems in by_property().items() if theorems)}
    only_tested = {fault.property for fault in all_faults()} - proved
    assert "agreement" in only_tested
    part = text().split("## What only tests cover")[1].split("## ")[0]
    assert {name for name in only_tested if f"| `{name}` |" in part} == only_tested
    assert not [name for name in proved if f"| `{name}` |" in part]


def test_its_links_lead_somewhere() -> None:
    links = links_of(text())
    assert links
    inside = {link.removeprefix("#") for link in links if link.startswith("#")}
    assert inside
    assert inside <= anchors_of(text())
    assert not [link for link in links if not link.startswith("#") and not (ROOT / "docs" / link).exists()]
