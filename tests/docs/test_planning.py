"""The ledger of planning: every function by which the allocator decides is answered for, by name."""

import ast
from collections.abc import Mapping

import pytest

from bandgap.documents import planning
from bandgap.documents.planning import EVIDENCE, ROOTS, TESTED, Answered, functions, planning_path, reachable
from bandgap.documents.trust import trust
from properties.admission.theorems import THEOREMS
from properties.contracts import known
from tests.house.walls import ROOT
from tests.impl import test_admission, test_compaction
from tests.properties.admission import test_plans

CASES = {
    "every layout": sum(cases for _, cases in test_admission.CASES),
    "every pattern": test_admission.PATTERNS * test_admission.DEMANDS,
    "every sequence": test_admission.BY_STEPS,
    "the definition": test_plans.CASES,
    "idle moments": len(test_compaction.SEEDS) * len(test_compaction.PATIENCE),
}
"""As many as the tests themselves say."""

path = planning_path()
by_name = {one.name: one for one in path}


def unanswered(known: Mapping[str, ast.FunctionDef]) -> set[str]:
    return {name for name in reachable(known) if name not in by_name or not by_name[name].is_answered}


def test_every_function_of_the_planning_path_is_answered_for() -> None:
    missing = unanswered(functions())
    assert not missing, f"say in bandgap/documents/planning.py which tests answer for: {', '.join(sorted(missing))}"
    assert len(path) >= 60


def test_a_function_that_nobody_answers_for_is_found() -> None:
    lines = ast.parse("def _planned(self):\n    return _guessed(self)\ndef _guessed(it):\n    return it")
    planned, guessed = lines.body
    assert isinstance(planned, ast.FunctionDef)
    assert isinstance(guessed, ast.FunctionDef)
    more = {**functions(), "admission.Admission._planned": planned, "admission._guessed": guessed}
    assert "admission._guessed" in unanswered(more)
    # what is not called is not on the path
    assert unanswered({**functions(), "admission._guessed": guessed}) == set()


def test_nothing_is_said_of_functions_that_are_not_there() -> None:
    assert set(TESTED) <= set(by_name)
    assert set(ROOTS) <= set(by_name)
    assert {name for names in TESTED.values() for name in names} == set(EVIDENCE)


@pytest.mark.parametrize("name", EVIDENCE)
def test_the_tests_that_are_named_are_there(name: str) -> None:
    file, _, test = EVIDENCE[name].test.partition("::")
    names = {node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)}
    assert test in names
    assert EVIDENCE[name].cases == CASES.get(name, EVIDENCE[name].cases)


def test_what_a_theorem_reads_is_seen_and_not_told() -> None:
    assert "in-place-is-legal" in by_name["arithmetic.in_place.float_in_place"].theorems
    assert "in-place-is-legal" in by_name["arithmetic.in_place.in_place"].theorems, "a loop that was taken apart"
    assert set(by_name["arithmetic.grid.address"].theorems) >= {"address.rises"}
    # where grids are opaque, no line of theirs is run
    assert "packing-succeeds" not in by_name["arithmetic.grid.address"].theorems
    assert not by_name["admission._live_outside"].theorems
    assert all(theorem in THEOREMS for one in path for theorem in one.theorems)
    assert {contract for one in path for contract in one.contracts} <= {one.property for one in known.obligations()}


def test_the_document_tells_of_each() -> None:
    part = trust().split("## Planning, function by function")[1].split("\n## ")[0]
    only = part.split("**Tested only**")[1]
    for one in path:
        assert f"| `{one.name}` |" in part
        assert (f"| `{one.name}` |" in only) == (not one.theorems and not one.contracts)
    assert Answered("it", (), (), ()).is_answered is False
    assert planning.MODULES[0] == "admission"
