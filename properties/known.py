"""Everything that has a name."""

import functools
from collections.abc import Mapping

from properties import device_faults
from properties.admission.asking import SEEDED
from properties.contracts.known import is_contract
from properties.faults import FAULTS
from properties.weakenings import Weakening, assumptions, sentences

__all__ = ["device_faults", "weakenings"]


@functools.cache
def weakenings() -> Mapping[str, Weakening]:
    """Every weakening by name: guard sentences, what the theorems rest on, seeded faults.

    Raises:
        ValueError: two have the same name.
    """
    kinds = (sentences(), assumptions(), FAULTS)
    together = {name: weakening for kind in kinds for name, weakening in kind.items()}
    if len(together) != sum(map(len, kinds)):
        raise ValueError("a seeded fault has the name of a guard sentence")
    return together


def is_fault(name: str) -> bool:
    """Whether what is tried is a seeded fault: of the specification, of admission, or of the arithmetic's contracts."""
    return name in FAULTS or name in SEEDED or is_contract(name)
