"""What cannot happen is noticed, however green its proofs are."""

from dataclasses import replace

import pytest

from properties.cases import CaseReading
from properties.limits import USUAL
from properties.obligations import Kind, of_action
from properties.raised import PlainTerms
from properties.readings import reading
from properties.report import witnesses
from properties.specification import AS_WRITTEN, Specification, with_action, with_guard
from properties.witnesses import Sighting, possibility, sightings
from spec.catalog import Guard, Property
from spec.concrete import Domains
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import State


def seen(specification: Specification, stage: str, *names: str) -> list[Sighting]:
    return list(sightings(specification, stage, names, USUAL))


def with_sentence(action: str, text: str, condition: Term) -> Specification:
    def more(guard: Guard, s: State, *_: Term) -> Guard:
        yield from guard
        yield text, condition(s), "bijection"

    return with_action(AS_WRITTEN, with_guard(AS_WRITTEN.actions[action], more))


def test_an_action_whose_guard_contradicts_itself_is_proved_and_yet_not_seen() -> None:
    from properties.answers import Verdict
    from properties.ladder import answers

    never = with_sentence("share", "the arena is elsewhere", lambda s: s.base > s.base + 1)
    assert all(a.verdict == Verdict.PROVED for a in answers(never, of_action(never, "share"), USUAL))
    (sighting,) = seen(never, "share", possibility("share"))
    assert sighting.example is None
    assert not sighting.reason


def test_an_action_that_the_invariants_forbid_is_not_seen() -> None:
    illegal = with_sentence("share", "a virtual page owes references", lambda s: s.refs[0, 0] < 0)
    (sighting,) = seen(illegal, "share", possibility("share"))
    assert sighting.example is None


def test_invariants_that_contradict_each_other_are_noticed() -> None:
    never = Property("never", "The first band ends before it begins.", lambda s: s.hi[0] < s.lo[0])
    contradictory = replace(AS_WRITTEN, invariants={**AS_WRITTEN.invariants, "never": never})
    for stage in (Kind.THEOREM, "drain"):
        (sighting,) = seen(contradictory, stage, possibility(stage))
        assert sighting.example is None


def test_a_property_whose_condition_is_never_met_is_not_seen() -> None:
    def empty(s: State) -> Term:
        return Forall("band vid", lambda band, vid: Implies(s.refs[band, vid] < 0, s.lo[band] == s.hi[band]))

    idle = replace(AS_WRITTEN, theorems={"idle": Property("idle", "It says nothing.", empty)})
    (sighting,) = seen(idle, Kind.THEOREM, "idle")
    assert sighting.example is None


def test_half_of_a_property_that_is_never_met_is_not_seen() -> None:
    def half(s: State, after: State) -> Term:
        return And(
            Forall("band vid", lambda band, vid: Implies(s.refs[band, vid] > 0, after.refs[band, vid] >= 0)),
            Forall(
                "band vid",
                lambda band, vid: Implies(after.refs[band, vid] > s.refs[band, vid] + 1, s.base == after.base),
            ),
        )

    idle = replace(AS_WRITTEN, steps={"half": Property("half", "It says half.", half)})
    first, second = seen(idle, "share", "half")
    assert first.example is not None
    assert second.example is None
    assert [witness.example is None for witness in witnesses([first, second])] == [False, True]


@pytest.mark.parametrize(
    ("formula", "number_of_cases", "met"),
    [
        (lambda x, y: Implies(x == 1, y == 1), 1, [True]),
        (lambda x, y: Implies(x == 2, y == 1), 1, [False]),
        (lambda x, y: Or(x == 1, y == 2), 2, [True, False]),
        (lambda x, y: And(x == 1, Implies(y == 2, x == 1)), 2, [True, False]),
        (lambda x, y: Implies(x == 1, Or(y == 1, y == 2)), 2, [True, False]),
        (lambda x, y: Not(Or(x == 2, y == 2)), 1, [True]),
        (lambda x, y: Forall("number", lambda z: Implies(z == x, Or(z == y, z == 0))), 2, [True, False]),
    ],
)
def test_cases_are_what_a_formula_says_of_these_numbers(formula: Term, number_of_cases: int, met: list[bool]) -> None:
    terms = PlainTerms()
    chosen = CaseReading(terms, Domains({"number": range(3)}))
    with reading(chosen):
        cases = chosen.connectives.cases(formula(terms.raised(1), terms.raised(1)))
    assert len(cases) == number_of_cases
    assert [case.value for case in cases] == met
