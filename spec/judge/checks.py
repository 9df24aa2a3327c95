"""What the judge checks besides the properties of the catalogue."""

from spec.specification import INVARIANTS, STEPS, THEOREMS

CHECKS = {
    "agreement": "Calls, steps, ends and the allocator's tables say the same.",
    "all-or-nothing": "A refused or failed joint demand leaves ids, references, contents and holdings as they were.",
    "trace": "A trace is whole, and each line of it is a record that can be read.",
}


def prose_of_check(name: str) -> str:
    """The sentence of a property or of one of the judge's own checks."""
    found = INVARIANTS.get(name) or STEPS.get(name) or THEOREMS.get(name)
    return found.prose if found else CHECKS[name]
