"""Every function of the arithmetic has a contract that is confirmed on all paths, or refuted once it is broken."""

import json
import pkgutil
import subprocess
import sys

import pytest

import impl.arithmetic
from properties.admission.code import MODULES, Edit
from properties.answers import Verdict
from properties.contracts import checking, contract, known
from properties.contracts.contract import CONTRACTS, Contract, without_contract
from properties.limits import USUAL, Limits
from properties.obligations import Obligation

SLOW = ("feasible", "float_in_place", "free_from", "free_until", "least_eviction", "useful_ends")
"""Seconds each, which `make nightly` spends; what breaks them is tried here."""

QUICK = [o for o in known.obligations() if CONTRACTS[o.property].of not in SLOW]


def test_every_public_function_of_the_arithmetic_has_a_contract() -> None:
    missing = without_contract()
    assert not missing, f"write a contract in properties/contracts/arithmetic.py for: {', '.join(missing)}"
    assert len(contract.functions()) >= 22


def test_no_module_of_the_arithmetic_is_left_out() -> None:
    there = {f"impl.arithmetic.{module.name}" for module in pkgutil.iter_modules(impl.arithmetic.__path__)}
    assert there == {m.__name__ for m in MODULES if m.__name__.startswith("impl.arithmetic.")}


def test_a_function_without_a_contract_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    without = {name: each for name, each in CONTRACTS.items() if each.of != "place_low"}
    monkeypatch.setattr(contract, "CONTRACTS", without)
    assert without_contract() == ["place_low"]


def test_every_contract_has_something_that_breaks_it() -> None:
    assert all(each.broken for each in CONTRACTS.values())
    assert len(known.breaking()) >= 41
    assert len(known.obligations()) == len(CONTRACTS) >= 27


@pytest.mark.parametrize("obligation", QUICK, ids=lambda o: o.property)
def test_a_contract_is_confirmed_over_all_paths(obligation: Obligation) -> None:
    (answer,) = checking.answers([obligation], USUAL)
    assert (answer.verdict, answer.reason) == (Verdict.PROVED, "")


@pytest.mark.parametrize("name", known.breaking())
def test_what_is_broken_is_refuted_by_its_contract(name: str) -> None:
    trial = checking.trial(name, USUAL)
    assert trial.refuted == (known.breaking()[name],)
    assert (trial.wrong, trial.undecided) == ("", False)
    assert trial.found.startswith(CONTRACTS[trial.property].holds.__name__)


def test_a_change_that_breaks_nothing_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    harmless = Edit("dividend + divisor - 1", "divisor - 1 + dividend")
    monkeypatch.setitem(CONTRACTS["ceil-div.rounds-up"].broken, "rounds-down", harmless)
    trial = checking.trial("contracts/rounds-down", USUAL)
    assert trial.refuted == ()
    assert trial.wrong == "ceil-div.rounds-up is confirmed all the same"


def two_products_are_one(a: int, b: int, c: int) -> bool:
    """More than can be looked at.

    post: _
    """
    return a**3 + b**3 != c**3 or a * b * c == 0


def nobody_may_call(a: int) -> bool:
    """What nobody may call.

    pre: a > a
    post: _
    """
    return a == a


@pytest.mark.parametrize("holds", [two_products_are_one, nobody_may_call])
def test_what_is_not_confirmed_is_unknown(holds: object) -> None:
    assert callable(holds)
    verdict, reason, _ = checking.checked(Contract("it", "nothing", "", holds, {}), Limits(seconds=1))
    assert verdict is Verdict.UNKNOWN
    assert reason


def test_contracts_are_chosen_by_name_and_reported() -> None:
    command = [sys.executable, "-m", "bandgap", "prove", "contracts/first-page-from", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert [a["name"] for a in document["answers"]] == [
        "contracts/first-page-from x first-page-from.is-the-lowest-page"
    ]
    assert [t["name"] for t in document["faults"]] == ["contracts/takes-the-page-below"]


def test_a_broken_function_is_a_violation_that_names_its_contract() -> None:
    command = [sys.executable, "-m", "bandgap", "prove", "--break", "contracts/rounds-down"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "contracts/ceil-div x ceil-div.rounds-up" in done.stdout
    assert "rounds_up(" in done.stdout
