"""What a check says, by its name."""

from fuzz.serving.checks import CHECKS
from spec.admission.properties import PROPERTIES
from spec.device.specification import INVARIANTS
from spec.judge.checks import prose_of_check

_OTHER = {
    **PROPERTIES,
    **CHECKS,
    "crash": "A call does what is asked, or rejects it as a misuse.",
    "address-rises": "The address of a page never falls as pages rise.",
    "index-range": "Every index lies below the length of its table, and every offset fits the integer that holds it.",
    "no-host-sync": "No call of the allocator waits for the device.",
}


def prose_of(name: str) -> str:
    """The sentence of a property or of another check."""
    if name in _OTHER:
        return _OTHER[name]
    return INVARIANTS[name].prose if name in INVARIANTS else prose_of_check(name)
