"""Small arenas are searched once for much: what is begun is gone on with, and one example shows all that it can."""

import pytest

from properties import begun
from properties.examples import Example
from properties.judging import confirm_legal, culprits_of
from properties.known import weakenings
from properties.ladder import refutations
from properties.limits import USUAL
from properties.obligations import Kind, Obligation
from properties.search import TASTES, Search, shapes
from properties.selection import everything
from properties.specification import AS_WRITTEN, SPECIFICATIONS, Specification, dropped
from properties.trials import trial
from properties.witnesses import possibility, sightings
from spec.logic import Term

WITHHELD = "allocate.the-page-is-not-withheld"


def search(specification: Specification, stage: str) -> Search:
    return Search(specification, stage, shapes(specification, stage)[0], USUAL)


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(begun, "_BEGUN", {})


@pytest.mark.usefixtures("anew")
def test_where_nothing_is_begun_each_search_has_terms_of_its_own() -> None:
    assert search(AS_WRITTEN, "share").small is not search(AS_WRITTEN, "share").small


@pytest.mark.parametrize("whole", SPECIFICATIONS, ids=["arena", "device"])
@pytest.mark.usefixtures("anew")
def test_what_is_begun_is_what_is_written_anew(whole: Specification) -> None:
    fresh = search(whole, whole.stage(Kind.THEOREM))
    begun.begin(whole, fresh.shape)
    gone_on = search(whole, whole.stage(Kind.THEOREM))
    assert gone_on.small is begun.small(fresh.shape, whole.signature) is not fresh.small
    names = [name for name, _ in fresh.scene.given]
    assert names == [name for name, _ in gone_on.scene.given]
    assert len(names) > len(whole.invariants)
    texts = [[each.small.pool.asked(term).sexpr() for _, term in each.scene.given] for each in (fresh, gone_on)]
    assert texts[0] == texts[1]


@pytest.mark.usefixtures("anew")
def test_a_weakening_is_tried_against_what_it_changes_and_not_what_was_begun() -> None:
    weakening = weakenings()["no-overlap.without-band-order"]
    begun.begin(AS_WRITTEN, shapes(AS_WRITTEN, "")[0])
    outcome = trial(AS_WRITTEN, weakening, USUAL)
    assert outcome.wrong == ""
    assert "no-overlap" in outcome.refuted


def test_examples_differ_and_each_is_judged() -> None:
    weak = dropped(AS_WRITTEN, WITHHELD)
    obligation = Obligation(Kind.STEP, "allocate", "ledger-gated-reuse")
    looking = search(weak, "allocate")
    found = list(refutations(looking, obligation))
    assert len(found) == len(TASTES)
    assert len({repr(each.example) for each in found}) > 2
    for each in found:
        confirm_legal(weak, "allocate", each.example)
        assert culprits_of(weak, obligation, each.example) == each.culprits
    assert list(refutations(search(AS_WRITTEN, "allocate"), obligation)) == []


def test_examples_leave_nothing_behind() -> None:
    looking = search(AS_WRITTEN, "allocate")
    assert list(looking.examples(False)) == []
    assert looking.find(True) is not None


def test_several_examples_show_more_of_what_a_weakening_breaks() -> None:
    outcome = trial(AS_WRITTEN, weakenings()["allocate.the-page-is-not-live"], USUAL)
    assert {"holders-know-tenant", "bijection"} <= set(outcome.refuted)
    assert outcome.wrong == ""


def test_one_example_shows_every_case_that_occurs_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    find = Search.find

    def counted(self: Search, formula: Term) -> Example | None:
        asked.append(formula)
        return find(self, formula)

    monkeypatch.setattr(Search, "find", counted)
    names = everything().looks["share"][:4]
    seen = list(sightings(AS_WRITTEN, "share", names, USUAL))
    one_by_one = [s for name in names for s in sightings(AS_WRITTEN, "share", [possibility("share"), name], USUAL)]
    assert {(s.name, s.example is None) for s in seen} == {(s.name, s.example is None) for s in one_by_one}
    assert len(asked) > len(seen) >= len(names)
    asked.clear()
    assert [s.name for s in sightings(AS_WRITTEN, "share", names, USUAL)] == [s.name for s in seen]
    assert 0 < len(asked) < len(seen)
