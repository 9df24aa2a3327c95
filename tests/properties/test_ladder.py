"""An obligation is proved, violated by an example that holds up, or unknown: never anything in between."""

from dataclasses import replace

import pytest

from properties.answers import Answer, Verdict
from properties.judging import NotConfirmed, counterexample
from properties.ladder import answers
from properties.limits import USUAL, Limits
from properties.obligations import Kind, Obligation, obligations, of_action
from properties.specification import AS_WRITTEN, Specification, changed, dropped, with_action
from spec.catalog import Property
from spec.logic import Implies, Term
from spec.ranges import Forall
from spec.state import State

NO_EFFORT = Limits(effort=1, seconds=30)
BROKEN = "land.a-write-is-in-flight-to-the-page"
BREAKS = Obligation(Kind.STEP, "land", "held-bytes-frozen")


def answer(specification: Specification, obligation: Obligation, limits: Limits = USUAL) -> Answer:
    (only,) = answers(specification, [obligation], limits)
    return only


def test_obligations_are_the_product_of_the_catalogue() -> None:
    s = AS_WRITTEN
    kinds = [obligation.kind for obligation in obligations(s)]
    assert kinds.count(Kind.INDUCTIVE) == len(s.actions) * len(s.invariants)
    assert kinds.count(Kind.STEP) == len(s.actions) * len(s.steps)
    assert kinds.count(Kind.INITIAL) == len(s.invariants)
    assert kinds.count(Kind.THEOREM) == len(s.theorems)
    assert kinds.count(Kind.LEMMA) == len(s.axioms) == 1
    names = {obligation.name for obligation in obligations(s)}
    assert len(names) == len(kinds)
    assert not {str(kind) for kind in Kind} & set(s.actions)


def test_what_holds_is_proved() -> None:
    assert answer(AS_WRITTEN, BREAKS).verdict == Verdict.PROVED


def test_what_is_broken_is_violated_by_an_example_that_holds_up() -> None:
    broken = dropped(AS_WRITTEN, BROKEN)
    found = answer(broken, BREAKS).counterexample
    assert found is not None
    assert found.culprits
    assert counterexample(broken, BREAKS, found.example) == found
    with pytest.raises(NotConfirmed, match="a write is in flight to the page"):
        counterexample(AS_WRITTEN, BREAKS, found.example)


def test_an_example_that_was_tampered_with_is_not_believed() -> None:
    broken = dropped(AS_WRITTEN, BROKEN)
    found = answer(broken, BREAKS).counterexample
    assert found is not None
    example = found.example
    with pytest.raises(NotConfirmed, match="the state after is not the effect"):
        counterexample(broken, BREAKS, replace(example, after=example.before))
    unheld = replace(example.before, tables={**example.before.tables, "held": {}})
    with pytest.raises(NotConfirmed, match="the state after is not the effect"):
        counterexample(broken, BREAKS, replace(example, before=unheld))
    nothing = replace(example, before=unheld, after=replace(example.after, tables={**example.after.tables, "held": {}}))
    with pytest.raises(NotConfirmed, match=r"not a legal example|the property holds after all"):
        counterexample(broken, BREAKS, nothing)


def test_what_cannot_be_decided_is_unknown_and_says_why() -> None:
    unknown = answer(AS_WRITTEN, Obligation(Kind.INDUCTIVE, "move", "content"), NO_EFFORT)
    assert unknown.verdict == Verdict.UNKNOWN
    assert "no proof within the limits" in unknown.reason
    assert unknown.counterexample is None


def test_what_is_broken_is_violated_however_little_the_prover_may_try() -> None:
    assert answer(dropped(AS_WRITTEN, BROKEN), BREAKS, NO_EFFORT).verdict == Verdict.VIOLATED


def test_a_false_axiom_is_no_lemma() -> None:
    def address_falls(s: State) -> Term:
        return Forall(
            "band page page",
            lambda band, page, later: Implies(page <= later, s.address[band, page] >= s.address[band, later]),
        )

    false = replace(AS_WRITTEN, axioms={"address-falls": Property("address-falls", "It falls.", address_falls)})
    assert answer(false, Obligation(Kind.LEMMA, Kind.LEMMA, "address-falls")).verdict == Verdict.VIOLATED


def test_a_start_that_is_not_legal_breaks_an_invariant() -> None:
    anything = replace(AS_WRITTEN, initial=lambda _: True)
    verdicts = {a.obligation.property: a.verdict for a in answers(anything, _initial(anything), USUAL)}
    assert set(verdicts.values()) == {Verdict.VIOLATED}
    assert set(verdicts) == set(AS_WRITTEN.invariants)


def _initial(specification: Specification) -> list[Obligation]:
    return [obligation for obligation in obligations(specification) if obligation.kind == Kind.INITIAL]


def test_an_effect_that_reads_what_it_wrote_is_refuted() -> None:
    """The span's end is moved twice, as it would be if the change were made in place and read again."""
    action = AS_WRITTEN.actions["grow-high"]
    twice = changed(action, lambda s, after, band: after.but(hi=after.hi.set(band, after.hi[band] + 1)))
    weak = with_action(AS_WRITTEN, twice)
    verdicts = {a.obligation.property: a.verdict for a in answers(weak, of_action(weak, "grow-high"), USUAL)}
    assert {name for name, verdict in verdicts.items() if verdict == Verdict.VIOLATED} == {"band-order", "inside-arena"}
    assert len(verdicts) == len(AS_WRITTEN.invariants) + len(AS_WRITTEN.steps)
