"""The contracts as obligations, and what must refute them, by name."""

import functools

from properties.admission.code import Edit
from properties.contracts import arithmetic
from properties.contracts.contract import CONTRACTS, PREFIX, Contract
from properties.obligations import Kind, Obligation

__all__ = ["GROUP", "arithmetic", "breaking", "contract_and_edit", "is_contract", "names_of", "obligations", "touched"]

GROUP = PREFIX.rstrip("/")
"""What chooses all of them."""


def is_contract(name: str) -> bool:
    """Whether a stage or a fault is one of contracts."""
    return name.startswith(PREFIX)


@functools.cache
def obligations() -> tuple[Obligation, ...]:
    """All of them, in the order in which they are shown; the stage is the function."""
    return tuple(
        Obligation(Kind.CONTRACT, PREFIX + each.of.replace("_", "-"), each.name) for each in CONTRACTS.values()
    )


@functools.cache
def breaking() -> dict[str, str]:
    """What breaks the arithmetic, by name, and the contract that must then be refuted.

    Raises:
        ValueError: two have the same name.
    """
    found: dict[str, str] = {}
    for each in CONTRACTS.values():
        for change in each.broken:
            if PREFIX + change in found:
                raise ValueError(f"two changes are named {change!r}")
            found[PREFIX + change] = each.name
    return found


def contract_and_edit(fault: str) -> tuple[Contract, Edit]:
    """What a fault must refute, and its text."""
    contract = CONTRACTS[breaking()[fault]]
    return contract, contract.broken[fault.removeprefix(PREFIX)]


def touched(fault: str) -> tuple[Obligation, ...]:
    """The contract that a fault must refute."""
    return tuple(obligation for obligation in obligations() if obligation.property == breaking()[fault])


def names_of(contract: str) -> set[str]:
    """What chooses a contract and what breaks it."""
    return {GROUP, contract, PREFIX + CONTRACTS[contract].of.replace("_", "-")}
