"""The document of the semantics: whole, up to date, and played."""

import functools
from dataclasses import replace

import pytest

from bandgap.documents.admitted import PROSE
from bandgap.documents.catalogue import catalogue
from bandgap.documents.entries import Style
from bandgap.documents.formulas.reading import Definition, Printing, ShownWord
from bandgap.documents.formulas.terms import PRIME
from bandgap.documents.glossary import GLOSSARY
from bandgap.documents.scenes.all import OFFENCES, SCENES, example_of, offence_of
from bandgap.documents.scenes.arena import FULL, LIVE, NAMES, START, WITHHELD
from bandgap.documents.scenes.judged import finding_of
from bandgap.documents.scenes.stage import NotAsPlanned, Offence, Scene, offended, played
from bandgap.documents.semantics import FORGE, semantics
from bandgap.documents.writing import MAKE
from properties.specification import AS_WRITTEN, SPECIFICATIONS, changed_actions
from spec.catalog import ACTIONS, INVARIANTS, STEPS, THEOREMS, Action, Guard
from spec.judge.checks import CHECKS
from spec.logic import And, Not, Or, Term
from spec.ranges import Exists, Forall
from spec.state import ARENA, State
from spec.state import LIVE as IS_LIVE
from spec.words import end, holders, is_alive, start
from tests.docs.links import anchors_of, links_of
from tests.house.walls import ROOT


@functools.cache
def text() -> str:
    return semantics()


def test_it_is_up_to_date() -> None:
    assert (ROOT / "docs/semantics.md").read_text() == text(), f"the documents are out of date: run {MAKE}"


def test_every_action_and_property_has_its_part() -> None:
    actions = [name for whole in SPECIFICATIONS for name in changed_actions(whole)]
    claims = [name for whole in SPECIFICATIONS for name in whole.claims]
    assert set(ACTIONS) <= set(actions)
    assert {*INVARIANTS, *STEPS, *THEOREMS} <= set(claims)
    headings = [line.removeprefix("### ").strip("`") for line in text().splitlines() if line.startswith("### ")]
    assert headings == [*actions, *claims, *CHECKS, *PROSE]
    assert text().count("**Example**") == len(headings) >= 75


def test_every_guard_sentence_and_effect_is_printed() -> None:
    for entry in catalogue().actions.values():
        if not entry.is_base:
            assert entry.effect, entry.name
            for one in entry.sentences:
                assert one.text[1:] in text()
                assert one.protects in catalogue().properties, f"{entry.name}: {one.protects} is no property"
                assert all(line in text() for line in one.condition)


def test_its_links_lead_somewhere() -> None:
    links = links_of(text())
    assert len(links) > 300
    assert not [link for link in links if link.startswith("#") and link[1:] not in anchors_of(text())]
    assert not [link for link in links if not link.startswith(("#", "https://github.com/"))]


def test_it_has_no_html_of_its_own() -> None:
    prose = "".join(part for number, part in enumerate(text().split("```")) if number % 2 == 0)
    assert prose.count("<") == prose.count("<!--") + prose.count(" <= ") + prose.count(" < ")


# ---------------------------------------------------------------------------------------------------------- formulas


class Toy:
    """Sentences of every form."""

    @staticmethod
    def guard(s: State, band: Term, page: Term) -> Guard:
        yield "plain", s.status[band, page] == IS_LIVE, "span"
        yield "negated", Not(s.status[band, page] == IS_LIVE), "span"
        yield "word", Not(is_alive(s, band, page)), "span"
        yield "nested", Or(And(s.lo[band] < page, page <= s.hi[band] + 1), s.lo[band] == 0), "span"
        yield "quantified", Forall(holders(s, band, page), lambda other: Not(other == page)), "span"
        yield "sorts", Exists("ticket band", lambda other, band: s.held[other, band, page] >= 1), "span"

    @staticmethod
    def effect(s: State, band: Term, page: Term) -> State:
        return s.but(
            status=s.status.set((band, page), IS_LIVE).where(holders(s, band, page), lambda other: IS_LIVE),
            lo=s.lo.set(band, page),
        )


TOY = Action("toy", "", ("band", "page"), Toy.guard, Toy.effect)


def test_formulas_say_what_the_functions_say() -> None:
    said = {text: lines for text, lines, _ in Printing(ARENA).guard(TOY)}
    assert said == {
        "plain": ["status[band, page] = live"],
        "negated": ["status[band, page] ≠ live"],
        "word": ["not is_alive(band, page)"],
        "nested": ["lo[band] < page and page ≤ hi[band] + 1 or lo[band] = 0"],
        "quantified": ["for every other in holders(band, page): other ≠ page"],
        "sorts": ["for some ticket other, band: held[other, band, page] ≥ read"],
    }
    assert Printing(ARENA).after(TOY).effect() == [
        f"status{PRIME}[band, page] = live",
        f"for every other in holders(band, page): status{PRIME}[other] = live",
        f"lo{PRIME}[band] = page",
    ]


def test_a_formula_is_never_taken_for_a_truth() -> None:
    def guard(s: State, band: Term, page: Term) -> Guard:
        if s.status[band, page] == IS_LIVE:
            yield "it is live", True, "span"

    with pytest.raises(TypeError, match="neither true nor false"):
        list(Printing(ARENA).guard(Action("toy", "", ("band", "page"), guard, Toy.effect)))


def test_a_changed_guard_changes_the_document() -> None:
    land = ACTIONS["land"]
    weaker = replace(land, guard=lambda s, band, page: iter(()))
    assert list(Printing(ARENA).guard(weaker)) != list(Printing(ARENA).guard(land))


# ---------------------------------------------------------------------------------------------------------- examples


def test_every_written_scene_is_of_something() -> None:
    assert set(SCENES) <= {name for whole in SPECIFICATIONS for name in changed_actions(whole)}
    assert set(OFFENCES) <= {name for whole in SPECIFICATIONS for name in whole.claims}
    assert len(SCENES) >= 30
    assert len(OFFENCES) >= 42


@pytest.mark.parametrize("name", sorted({name for whole in SPECIFICATIONS for name in changed_actions(whole)}))
def test_each_action_is_played_and_changes_something(name: str) -> None:
    example = example_of(name).example
    assert example.action == name
    assert example.before != example.after


@pytest.mark.parametrize("name", sorted({name for whole in SPECIFICATIONS for name in whole.claims}))
def test_each_property_is_offended_and_the_offence_refused(name: str) -> None:
    offence = offence_of(name)
    assert bool(offence.broken.refused) != bool(offence.broken.fault)
    assert "not so: " in offence.finding or not offence.finding or "held for writing" in offence.finding


def test_the_judge_has_its_say_of_every_offence_in_the_arena_but_one() -> None:
    silent = [name for name in AS_WRITTEN.claims if not OFFENCES[name].fault and not offence_of(name).finding]
    # to release a page with two references is a call like any other
    assert silent == ["references-one-by-one"]


@pytest.mark.parametrize("name", sorted(name for name in SCENES if "/" not in name))
def test_the_judge_finds_nothing_in_the_scenes_of_actions(name: str) -> None:
    scene = SCENES[name]
    assert finding_of(scene.start, scene.names, scene.before, scene.shown) is None


@pytest.mark.parametrize(
    ("offence", "said"),
    [
        (Offence(START, LIVE, [("allocate", FULL, 4, 1)], names=NAMES), "not refused"),
        (Offence(START, LIVE, [("allocate", FULL, 3, 1)], names=NAMES), "holds all the same"),
        (Offence(START, (*LIVE, *LIVE), [("free", FULL, 0)], names=NAMES), "not so"),
        (Offence(START, WITHHELD, [("allocate", FULL, 3, 1)], "free.loses-the-page", NAMES), "refused"),
    ],
)
def test_an_offence_that_is_none_is_not_believed(offence: Offence, said: str) -> None:
    with pytest.raises(NotAsPlanned, match=said):
        offended(AS_WRITTEN, "ledger-gated-reuse", offence)


def test_what_has_no_scene_is_searched_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(SCENES, "publish")
    monkeypatch.delitem(OFFENCES, "anchored-ends")
    monkeypatch.delitem(OFFENCES, "conservation")
    assert example_of.__wrapped__("publish").example.action == "publish"
    anchored = offence_of.__wrapped__("anchored-ends").broken
    assert anchored.refused == (("the first band stays where it begins", "anchored-ends"),)
    conserved = offence_of.__wrapped__("conservation").broken
    assert conserved.fault == "free.loses-the-page"
    assert conserved.culprits


def test_two_words_of_one_name_are_an_error() -> None:
    printing = Printing(ARENA)
    one, other = (Definition("word", "", function) for function in (start, end))
    ShownWord(one, printing.used)(1)
    with pytest.raises(ValueError, match="two words"):
        ShownWord(other, printing.used)(1)


def test_a_scene_that_is_not_legal_is_not_drawn() -> None:
    with pytest.raises(NotAsPlanned, match="the page is not withheld"):
        played(AS_WRITTEN, Scene(START, WITHHELD, ("allocate", FULL, 3, 1), NAMES))


def test_each_term_is_said_once_and_in_few_words() -> None:
    assert len(GLOSSARY) >= 35
    assert all(meaning.endswith(")") or meaning.endswith(".") for meaning in GLOSSARY.values())
    assert max(map(len, GLOSSARY.values())) < 200
    assert isinstance(FORGE, Style)
