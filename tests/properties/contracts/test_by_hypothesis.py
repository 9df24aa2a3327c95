"""The same contracts as properties that Hypothesis tests, with CrossHair choosing what to try, and of plain values."""

import inspect
from typing import Any

import pytest
from crosshair.condition_parser import Pep316Parser
from crosshair.fnutil import FunctionInfo
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from impl.arithmetic.admission import Needs
from properties.contracts.contract import CONTRACTS, Contract, changed
from properties.contracts.known import contract_and_edit

BY_SYMBOLS = settings(
    backend="crosshair",
    max_examples=3,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
PLAIN = settings(
    max_examples=50, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)

NUMBERS = st.integers(-9, 9)
BY_NAME = {"size": st.integers(1, 5), "divisor": st.integers(1, 5)}
BY_NAME |= dict.fromkeys(("need", "live", "demand"), st.integers(0, 4))
BY_TYPE = {
    int: NUMBERS,
    bool: st.booleans(),
    Needs: st.builds(Needs, NUMBERS, BY_NAME["size"], BY_NAME["need"], NUMBERS, NUMBERS),
}


@st.composite
def four_bands(draw: st.DrawFn) -> dict[str, Any]:
    """Four bands whose pins lie in order, and a limit between the last two: numbers of their own seldom do."""
    ends = st.lists(st.integers(1, 99), min_size=5, max_size=5, unique=True)
    low, lo, hi, limit, high = sorted(draw(ends))
    anywhere = draw(NUMBERS)
    return {
        "low": Needs(0, 1, low, 0, low),
        "middle": Needs(0, 1, hi - lo, lo, hi),
        "other": Needs(0, 1, 1, anywhere, anywhere),
        "high": Needs(0, 1, 99 - high, high, 100),
        "limit": limit,
        "wish": draw(NUMBERS),
    }


BY_CONTRACT = {"in-place.spans-contain-their-pins": four_bands()}


def arguments(contract: Contract) -> st.SearchStrategy[dict[str, Any]]:
    """Some for which the function may be called, though not all of them are."""
    if contract.name in BY_CONTRACT:
        return BY_CONTRACT[contract.name]
    parameters = inspect.signature(contract.holds, eval_str=True).parameters
    return st.fixed_dictionaries({name: BY_NAME.get(name, BY_TYPE[p.annotation]) for name, p in parameters.items()})


def hold(contract: Contract, how: settings) -> None:
    """Test the contract; what it may not be called with is passed over, as its docstring says."""
    parsed = Pep316Parser().get_fn_conditions(FunctionInfo.from_fn(contract.holds))
    assert parsed is not None

    @how
    @given(arguments(contract))
    def holds(called: dict[str, Any]) -> None:
        for condition in parsed.pre:
            assert condition.evaluate is not None
            assume(condition.evaluate(called))
        assert contract.holds(**called)

    holds()


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_contract_holds_of_what_crosshair_chooses(name: str) -> None:
    hold(CONTRACTS[name], BY_SYMBOLS)


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_contract_holds_of_plain_values(name: str) -> None:
    hold(CONTRACTS[name], PLAIN)


@pytest.mark.parametrize(
    "fault", ["contracts/rounds-down", "contracts/takes-the-smaller", "contracts/gives-room-to-nothing"]
)
def test_what_is_broken_is_found_by_what_crosshair_chooses(fault: str) -> None:
    contract, edit = contract_and_edit(fault)
    with changed(edit), pytest.raises(AssertionError):
        hold(contract, settings(BY_SYMBOLS, max_examples=50))
