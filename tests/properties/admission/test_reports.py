"""A seeded fault of the arithmetic is reported: by `bandgap prove`, for people and as a document, and by the gate."""

import json
import subprocess

import pytest

from bandgap.gate.lanes import proofs
from properties import Verdict, broken, run, selected
from properties.admission import asking
from tests.cli.command import bandgap

FAULT = "admission/asks-for-a-byte-between"


def prove(*arguments: str) -> subprocess.CompletedProcess[str]:
    return bandgap("prove", *arguments, columns=100)


def test_a_broken_line_ends_in_a_small_case() -> None:
    done = prove("--break", FAULT)
    assert done.returncode == 1
    assert "admission/packing-succeeds.conclusion x admission-complete: it is false of a small case" in done.stdout
    assert "capacity = " in done.stdout
    assert "3 obligations: 2 proved, 1 violated, 0 unknown" in done.stdout


def test_a_broken_line_as_a_document() -> None:
    done = prove("--break", FAULT, "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    (violated,) = [answer for answer in document["answers"] if answer["verdict"] == "violated"]
    assert violated["name"] == "admission/packing-succeeds.conclusion x admission-complete"
    assert (violated["kind"], violated["action"], violated["counterexample"]) == ("admission", None, None)
    assert violated["small_case"]


def test_the_gate_tells_which_property_is_violated_and_of_what() -> None:
    report = run(broken(FAULT, ()), weakening=FAULT, jobs=1)
    assert report.verdict is Verdict.VIOLATED
    (violation,) = proofs.violations(report)
    assert violation.check == "admission-complete"
    assert violation.prose == "What is refused cannot be done: no legal layout has room for it."
    assert violation.facts[0] == report.answers[-1].found != ""
    assert violation.command == "bandgap prove 'admission/packing-succeeds.conclusion x admission-complete'"


@pytest.mark.parametrize(
    ("name", "obligations", "trials", "looks"),
    [
        ("admission", len(asking.obligations()), len(asking.SEEDED), len(asking.STAGES)),
        ("admission/packing-succeeds", 3, 0, 1),
        ("retry-terminates", 17, 5, 0),
        (FAULT, 0, 1, 0),
    ],
)
def test_what_is_shown_is_chosen_by_name(name: str, obligations: int, trials: int, looks: int) -> None:
    chosen = selected([name])
    assert (len(chosen.obligations), len(chosen.trials), len(chosen.looks)) == (obligations, trials, looks)
