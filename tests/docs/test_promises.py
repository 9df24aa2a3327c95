"""The formulas of admission: printed from what is run, true of the allocator's decisions, false of wrong ones."""

import functools

import pytest

from bandgap.documents.admitted import OF_LAYOUTS, PROSE, admission_parts, all_words, faults_of
from bandgap.documents.formulas import promised
from bandgap.documents.semantics import FORGE
from bandgap.documents.site_style import PAGE
from bandgap.documents.stories.admission import COMPACTED, CROWDED, EXAMPLES, HELD, RELAID, WRONG, Case, decided
from bandgap.documents.stories.promised import asked, asked_of_a_retry, asked_of_ranks, bytes_moved
from bandgap.documents.stories.violated import AMONG_FEW, VIOLATED, smallest
from properties.admission.readings import ANYTHING
from properties.admission.theorems import THEOREMS
from properties.readings import reading
from spec.admission import layouts, steps
from spec.admission.promises import PROMISES
from spec.admission.properties import PROPERTIES
from spec.concrete import Domains
from spec.ranges import Count, Total, Where, universe

page_of = functools.cache(lambda claim: "\n\n".join(admission_parts(claim, PAGE)))

WITH_FAULTS = [(claim, case, fault) for claim, (case, fault) in WRONG.items()]


def test_every_property_of_admission_has_a_formula() -> None:
    assert set(PROMISES) == {*PROPERTIES, "conservation"} == {*PROSE, "conservation"}
    for claim in PROMISES:
        assert promised.formula(claim)
        assert promised.words(claim)


@pytest.mark.parametrize("claim", PROSE)
def test_a_page_has_the_formula_its_words_an_example_that_was_run_and_what_violates_it(claim: str) -> None:
    page = page_of(claim)
    assert all(line in page for line in promised.formula(claim))
    for word, said in promised.words(claim):
        assert word.prose
        assert f"\n{promised.named_call(word)}\n    {word.prose}" in page
        assert all(line in page for line in said)
        assert said or word.name in promised.BY_PROSE
    assert "the formula was asked of this" in page
    assert ("layouts of this arena" in page) == (claim in OF_LAYOUTS)
    fault, theorem, case = smallest(claim)
    assert THEOREMS[theorem].property == claim
    assert f"`admission/{fault}`" in page.split("## What violates it")[1]
    assert case.split(",")[0] in page
    assert f"admission/{fault}" in [each.name for each in faults_of(claim)]


def test_formulas_are_printed_from_the_functions_that_proofs_read() -> None:
    used = {word.name: word.function for word, _ in all_words()}
    assert used["stays"] is steps.stays
    assert used["may_move"] is steps.may_move
    assert used["settled"] is steps.settled
    solves = {word.name: said for word, said in all_words()}["solves"]
    names = [name.replace("-", "_") for name in layouts.DEFINITION]
    # each sentence of the definition of a legal layout is there, by its name or by what it says
    assert [line.split(" ")[-1] for line in solves[:4]] == [f"{name}(layout)" for name in names[:4]]
    assert "case.fixed[band, page] ⇒ in_span(layout, band, page)" in "\n".join(solves)
    assert "layout.hi[band] - layout.lo[band] ≥ case.need[band]" in "\n".join(solves)


@pytest.mark.parametrize("claim", PROSE)
def test_each_promise_is_kept_in_its_example(claim: str) -> None:
    case = EXAMPLES[claim]
    if claim == "retry-terminates":
        assert asked_of_a_retry(CROWDED).kept
    elif claim == "rank-agreement":
        assert asked_of_ranks(case).kept
    else:
        found = asked(claim, case)
        assert found.kept
        assert found.layouts == 3_851


@pytest.mark.parametrize(("claim", "case", "fault"), WITH_FAULTS)
def test_a_seeded_fault_breaks_the_promise_that_it_names(claim: str, case: Case, fault: str) -> None:
    assert not asked(claim, case, fault).kept


@pytest.mark.parametrize("claim", PROSE)
def test_the_example_is_one_of_which_the_promise_says_something(claim: str) -> None:
    of_refusals = ("admission-complete", "honest-refusal", "retry-terminates")
    assert decided(EXAMPLES[claim]).said.startswith("Refused" if claim in of_refusals else "Admitted")


def test_the_plan_moves_the_fewest_bytes_of_many_layouts() -> None:
    moved = bytes_moved(COMPACTED)
    assert len(moved) >= 2
    assert f"{moved[0]:,} bytes are copied" in decided(COMPACTED).said
    assert moved[0] < moved[-1]


def test_a_property_has_a_wrong_decision_exactly_if_the_code_has_a_fault_for_it() -> None:
    of_code = {claim for claim in PROSE if any(fault.where != "arithmetic" for fault in faults_of(claim))}
    assert of_code == set(WRONG)
    for claim in PROSE:
        assert ("No seeded fault of the code" in page_of(claim)) == (claim not in WRONG)


def test_a_promise_is_no_other() -> None:
    assert asked("admission-complete", HELD, "evictions-are-asked-for-where-waiting-suffices").kept
    assert asked("honest-refusal", RELAID).kept, "what is admitted is no refusal"
    assert not asked("admission-complete", RELAID, "floats-never-move").kept


@pytest.mark.parametrize("claim", VIOLATED)
def test_no_number_of_a_smallest_case_can_be_made_smaller(claim: str) -> None:
    violated = VIOLATED[claim]
    assert violated.breaks(violated.numbers)
    assert violated.smaller()
    assert not [case for case in violated.smaller() if violated.breaks(case)]
    assert set(VIOLATED) | set(AMONG_FEW) == set(PROMISES)


def test_counts_of_changes_are_printed() -> None:
    changes = dict(promised.changes())
    assert changes["allocate"] == ("1", "", "-1")
    assert changes["free"][1] == "1 if holders(band, page_of[band, vid]) is not empty else 0"
    assert changes["move"][0] == ""


# ------------------------------------------------------------------------------------------------- sums and counts


def test_sums_and_counts_are_those_of_what_is_there() -> None:
    with universe(Domains({"page": range(5), "band": range(2)})):
        assert Count("page", lambda page: page > 2) == 2
        assert Total("band page", lambda band, page: band * page) == 10
    with reading(ANYTHING), pytest.raises(TypeError, match="cannot be enumerated"):
        Total("page", lambda page: page)


def test_what_is_said_where_something_is_false_is_not_looked_at() -> None:
    assert Where(False, lambda: [][0]) is True
    assert Where(True, lambda: False) is False


def test_no_word_is_left_out_of_the_document() -> None:
    lines = FORGE.fold("", "")
    assert lines == ""
    assert {word.name for claim in PROMISES for word, _ in promised.words(claim)} == {w.name for w, _ in all_words()}
