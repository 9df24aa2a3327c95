"""Induction, loops taken apart, and edits: what is leant on is asked, and what is run is the arithmetic's own."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import z3

from impl.arithmetic import admission, in_place, placement
from properties import hypotheses
from properties.admission import asking
from properties.admission import code as code_module
from properties.admission.chains import any_chain, needs
from properties.admission.code import BRANCHES, GRID, Edit, loaded
from properties.admission.loops import Order, loop_of
from properties.admission.questions import Induction, Question, by_induction
from properties.admission.readings import ANYTHING
from properties.admission.subject import AS_IT_IS, Subject
from properties.admission.theorem import Theorem
from properties.admission.theorems import THEOREMS
from properties.answers import Verdict
from properties.limits import USUAL
from properties.readings import reading
from spec.logic import And, Implies, Not


def follows(question: Question) -> bool:
    solver = z3.Solver()
    solver.set("rlimit", 100_000)
    solver.add(*question.denied)
    return bool(solver.check() == z3.unsat)


@pytest.fixture
def anything() -> Iterator[None]:
    with reading(ANYTHING):
        yield


def lemma(down: bool) -> Question:
    """The lemma of one direction."""
    with reading(ANYTHING):
        return list(THEOREMS["induction"].questions(AS_IT_IS))[down]


@pytest.mark.parametrize("down", [False, True])
def test_the_conclusion_of_an_induction_needs_its_base_its_step_and_an_outermost_number(down: bool) -> None:
    whole = lemma(down)
    assert follows(whole)
    assert len(whole.given) == 3
    for missing in range(3):
        given = tuple(formula for i, formula in enumerate(whole.given) if i != missing)
        assert not follows(replace(whole, given=given))


@pytest.mark.usefixtures("anything")
def test_an_induction_is_asked_for_its_base_and_its_step_before_it_is_leant_on() -> None:
    total = z3.Function("total", z3.IntSort(), z3.IntSort())
    count = z3.Int("count")

    def doubles(i: z3.ExprRef) -> z3.BoolRef:
        return total(i) == 2 * i

    induction = Induction("", doubles, 0, count, lambda i: total(i + 1) == total(i) + 2)
    goals = {"even": Implies(count >= 0, total(count) == count + count)}
    questions = list(by_induction([total(0) == 0], [induction], goals))
    assert [question.name for question in questions] == ["base", "step", "even"]
    assert all(map(follows, questions))
    wrong = replace(induction, defined=lambda i: total(i + 1) == total(i) + 3)
    assert [follows(question) for question in by_induction([total(0) == 0], [wrong], goals)] == [True, False, True]
    assert [follows(question) for question in by_induction([], [induction], goals)] == [False, True, True]


@pytest.mark.usefixtures("anything")
@pytest.mark.parametrize("bands", range(2, 7))
def test_the_turns_of_a_loop_one_after_the_other_are_the_whole_function(bands: int) -> None:
    code = loaded({**BRANCHES, **GRID})
    s = any_chain(code)
    chain = [needs(code, s, z3.IntVal(band)) for band in range(bands)]
    arguments = {"base": s.base, "capacity": s.capacity, "chain": chain}
    takes = {
        "feasible": (Order.UP, ("base", "capacity", "chain")),
        "free_from": (Order.UP, ("base", "chain")),
        "free_until": (Order.DOWN, ("capacity", "chain")),
    }
    for name, (order, parameters) in takes.items():
        loop = loop_of(code, name, order)
        carried = loop.before(arguments)
        for band in (chain[i] for i in order.of(bands)):
            carried = loop.turn(arguments, carried, band)
        whole = getattr(code, name)(*[arguments[parameter] for parameter in parameters])
        assert z3.eq(_joined(loop.after(arguments, carried)), _joined(whole)), name


@pytest.mark.usefixtures("anything")
@pytest.mark.parametrize("bands", range(2, 6))
def test_so_are_those_of_a_loop_between_the_ends(bands: int) -> None:
    code = loaded({**BRANCHES, **GRID})
    s = any_chain(code)
    chain = [needs(code, s, z3.IntVal(band)) for band in range(bands)]
    limits, wishes = ([z3.Int(f"{name} {band}") for band in range(bands)] for name in ("limit", "wish"))
    arguments = {"base": s.base, "bottom": s.bottom, "top": s.top, "chain": chain}
    loop = loop_of(code, "in_place", Order.BETWEEN)
    carried = loop.before(arguments)
    for band in Order.BETWEEN.of(bands):
        carried = loop.turn(arguments, carried, (chain[band], limits[band], wishes[band]))
    whole = code.in_place(**arguments, limits=limits, wishes=wishes)
    parts = loop.after(arguments, carried)
    assert len(parts) == len(whole) == bands
    assert all(z3.eq(z3.Sum(*one), z3.Sum(*other)) for one, other in zip(parts, whole, strict=True))


def test_words_of_pythons_own_are_read_as_python_reads_them() -> None:
    with reading(ANYTHING):
        one, other = z3.Ints("one other")
        values = [(1, 2), (2, 1), (1, 1)]
        for found, name in ((code_module.smallest(one, other), min), (code_module.largest(one, other), max)):
            for pair in values:
                put = z3.substitute(found, (one, z3.IntVal(pair[0])), (other, z3.IntVal(pair[1])))
                assert z3.simplify(put).as_long() == name(pair)
        first, second = code_module.chosen(one > 0, lambda: (1, other), lambda: (0, one))
        assert z3.eq(first, z3.If(one > 0, z3.IntVal(1), z3.IntVal(0)))
        assert z3.eq(second, z3.If(one > 0, other, one))
    assert code_module.chosen(True, lambda: 1, lambda: [][0]) == 1, "of plain values only what is chosen is made"


def _joined(terms: z3.ExprRef | list[z3.ExprRef]) -> z3.ExprRef:
    return z3.Sum(terms) if isinstance(terms, list) else terms


def test_what_is_run_on_plain_numbers_is_what_the_allocator_runs() -> None:
    code = loaded()
    chain = [(0, 2, 2, 0, 0), (1, 3, 1, 1, 2), (0, 1, 3, 0, 0)]
    for capacity in range(2, 16):
        ours, theirs = [code.Needs(*each) for each in chain], [admission.Needs(*each) for each in chain]
        assert code.feasible(1, capacity, ours) == admission.feasible(1, capacity, theirs)
        assert code.free_from(1, ours) == admission.free_from(1, theirs)
        assert code.free_until(capacity, ours) == admission.free_until(capacity, theirs)
        rest = [capacity] * 3, [-1, 2, -1]
        assert code.in_place(1, 0, capacity, ours, *rest) == in_place.in_place(1, 0, capacity, theirs, *rest)
        for each in chain:
            assert code.place_high(capacity, *each) == placement.place_high(capacity, *each)


def test_a_loop_over_other_bands_is_no_loop_over_the_chain() -> None:
    for old, new in (
        ("for band in chain[:-1]:\n        _, _, free", "for band in chain[1:-1]:\n        _, _, free"),
        ("for band in chain[:-1]:\n        _, _, free", "for band in chain:\n        _, _, free"),
    ):
        with pytest.raises(ValueError, match="feasible does not take the bands from the first"):
            loop_of(loaded(edit=Edit(old, new)), "feasible", Order.UP)
    across = Edit("zip(chain[1:-1], limits[1:-1], wishes[1:-1]", "zip(chain[1:-1], limits[:-2], wishes[1:-1]")
    with pytest.raises(ValueError, match="in_place takes what is of several bands at once"):
        loop_of(loaded(edit=across), "in_place", Order.BETWEEN)
    with pytest.raises(ValueError, match="least_eviction is not one loop"):
        loop_of(loaded(), "least_eviction", Order.UP)


@pytest.mark.parametrize(("text", "times"), [("nobody ever wrote this", 0), ("pin_lo < pin_hi", 4)])
def test_an_edit_of_a_line_that_is_not_there_once_is_noticed(text: str, times: int) -> None:
    with pytest.raises(ValueError, match=f"is there {times} times"):
        loaded(edit=Edit(text, "0"))


def test_every_property_of_admission_has_theorems_and_faults() -> None:
    from spec.admission.properties import PROPERTIES

    assert {theorem.property for theorem in THEOREMS.values()} == {*PROPERTIES, "conservation"}
    assert {fault.property for fault in asking.SEEDED.values()} == {*PROPERTIES, "conservation"}
    assert len(THEOREMS) >= 90
    assert len(asking.SEEDED) >= 43


def _instead(monkeypatch: pytest.MonkeyPatch, name: str, **changes: object) -> None:
    changed = replace(THEOREMS[name], **changes)  # type: ignore[arg-type]  # the caller knows the fields
    monkeypatch.setitem(THEOREMS, name, changed)


def test_what_is_not_proved_and_has_no_small_counterexample_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    real = THEOREMS["asking-less"]

    def half(subject: Subject) -> Iterator[Question]:
        yield from (replace(question, given=()) for question in real.questions(subject))

    _instead(monkeypatch, "asking-less", questions=half)
    asked = [o for o in asking.obligations() if asking.theorem_of(o.stage) == "admission/asking-less"]
    (answer,) = asking.answers(asked, None, USUAL)
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.reason == "no proof within the limits, and no counterexample among small cases"


def test_a_fault_that_refutes_nothing_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    from properties.admission.faults import FAULTS

    harmless = replace(
        FAULTS["skips-a-page"], subject=Subject(Edit("dividend + divisor - 1", "divisor - 1 + dividend"))
    )
    monkeypatch.setitem(FAULTS, "skips-a-page", harmless)
    trial = asking.trial("admission/skips-a-page", USUAL)
    assert trial.wrong == "admission-complete is not refuted by first-page-from.is-the-lowest"
    assert not trial.undecided


def test_a_theorem_that_is_proved_although_an_example_refutes_it_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: Subject) -> Iterator[Question]:
        yield Question("nothing", (), True)

    _instead(monkeypatch, "packing-is-legal", questions=nothing)
    trial = asking.trial("admission/packs-a-page-too-few", USUAL)
    assert trial.wrong == "packing-is-legal is refuted by an example, and yet it is proved"
    assert trial.found


def test_a_question_that_is_given_what_contradicts_itself_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = THEOREMS["more-tickets"]
    x = z3.Int("x")

    def contradictory(subject: Subject) -> Iterator[Question]:
        for question in real.questions(subject):
            yield replace(
                question, given=(*question.given, x > 1, x < 1) if question.name == "step" else question.given
            )

    _instead(monkeypatch, "more-tickets", questions=contradictory)
    seen = hypotheses.sightings("admission/more-tickets", USUAL)
    unseen = [sighting for sighting in seen if sighting.example is None]
    assert [sighting.name for sighting in unseen] == ["admission/more-tickets.step, what it is given"]
    assert not unseen[0].reason


def test_a_theorem_that_is_given_what_cannot_be_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Theorem = THEOREMS["packing-is-legal"]

    def never(subject: Subject, numbers: object) -> Question:
        assert real.small is not None
        question = real.small(subject, numbers)  # type: ignore[arg-type]  # it is what the real one is given
        return replace(question, given=(*question.given, And(question.goal, Not(question.goal))))

    _instead(monkeypatch, "packing-is-legal", small=never)
    seen = list(asking.sightings("admission/packing-is-legal", USUAL))
    assert len(seen) == 4
    assert all(sighting.example is None and not sighting.reason for sighting in seen)
