"""A weakening is caught by the property that it names, or the trial is red."""

from dataclasses import replace

import pytest

from properties import trials
from properties.faults import FAULTS
from properties.known import weakenings
from properties.limits import USUAL, Limits
from properties.specification import AS_WRITTEN, Specification, with_action, with_guard, written
from properties.trials import trial
from properties.unbounded import FunctionMap
from properties.weakenings import Weakening, sentences, touched
from spec.catalog import Guard
from spec.logic import Term

SENTENCE = "allocate.the-page-is-not-withheld"


def twice(specification: Specification, action: str) -> Specification:
    """Every sentence of the guard is said twice, under another name the second time."""

    def again(guard: Guard, *_: Term) -> Guard:
        for text, condition, protects in guard:
            yield text, condition, protects
            yield f"once more: {text}", condition, protects

    return with_action(specification, with_guard(specification.actions[action], again))


def test_a_sentence_that_nothing_needs_is_red() -> None:
    doubled = twice(AS_WRITTEN, "allocate")
    outcome = trial(doubled, sentences(doubled)[SENTENCE], USUAL)
    assert outcome.refuted == ()
    assert outcome.wrong == "ledger-gated-reuse is not refuted, but nothing is"
    assert not outcome.undecided


def test_a_sentence_that_is_listed_as_redundant_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled = twice(AS_WRITTEN, "allocate")
    monkeypatch.setattr(trials, "REDUNDANT", {SENTENCE: "It is said twice."})
    assert trial(doubled, sentences(doubled)[SENTENCE], USUAL).wrong == ""
    wrong = trial(AS_WRITTEN, sentences()[SENTENCE], USUAL).wrong
    assert wrong.startswith("it is listed as redundant, but ")
    assert "ledger-gated-reuse" in wrong


def test_a_fault_that_is_caught_by_another_property_than_it_names_is_red() -> None:
    misnamed = replace(sentences()[SENTENCE], property="band-order")
    outcome = trial(AS_WRITTEN, misnamed, USUAL)
    assert outcome.wrong.startswith("band-order is not refuted, but ")
    assert "ledger-gated-reuse" in outcome.refuted


def test_a_change_that_changes_nothing_is_red() -> None:
    outcome = trial(AS_WRITTEN, Weakening("nothing", "nothing changes", "span", lambda whole: whole), USUAL)
    assert outcome.wrong == "span is not refuted, but nothing is"


def test_a_prover_that_proves_what_an_example_refutes_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the unbounded reading loses the effects of actions, every proof that an action keeps something is green."""
    monkeypatch.setattr(FunctionMap, "set", lambda self, key, value: self)
    outcome = trial(AS_WRITTEN, FAULTS["unshare.counts-down-twice"], USUAL)
    assert outcome.wrong == ("unshare x references-one-by-one is refuted by an example, and yet the prover proves it")


def test_a_limit_that_is_reached_is_told_apart_from_what_is_wrong() -> None:
    outcome = trial(AS_WRITTEN, sentences()["move.the-source-is-live"], Limits(effort=1, seconds=0.000_5))
    assert outcome.undecided
    assert "gave up" in outcome.wrong


def test_every_sentence_and_fault_names_a_property_and_touches_an_obligation_of_it() -> None:
    for weakening in weakenings().values():
        original = written(weakening.name)
        names = {obligation.property for obligation in touched(original, weakening.change(original))}
        assert weakening.property in names, weakening.name


def test_seeded_faults_cite_where_the_field_had_them() -> None:
    assert len(FAULTS) >= 45
    assert sum(name.startswith("device/") for name in FAULTS) >= 18
    assert all("#" in fault.precedent for fault in FAULTS.values())


def test_a_fault_in_a_sentence_that_does_not_exist_is_noticed() -> None:
    from properties.faults import in_guard

    known = dict(FAULTS)
    try:

        @in_guard("share", "nobody ever said this", "bijection", "nowhere#1")
        def nowhere(s: Term, band: Term, vid: Term) -> Term:
            """It changes nothing."""
            return True

        with pytest.raises(ValueError, match="nobody ever said this"):
            trial(AS_WRITTEN, FAULTS["share.nowhere"], USUAL)
    finally:
        FAULTS.clear()
        FAULTS.update(known)
