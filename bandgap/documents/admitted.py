"""What is proved of admission, gathered from its registries."""

from collections.abc import Mapping, Sequence

from bandgap.documents.catalogue import FaultEntry, all_faults
from properties.admission.faults import FAULTS
from properties.admission.theorem import Theorem
from properties.admission.theorems import THEOREMS

PROSE: Mapping[str, str] = {
    "admission-sound": "What is admitted can be done: legal steps lead there, and the allocation succeeds.",
    "admission-complete": "What is refused cannot be done: no legal layout has room for it.",
    "lowest-step": "A demand is met by the lowest step that can meet it, and settles no more than that needs.",
    "reachable": "The layout that a step promises is reached by legal actions, one after the other.",
    "honest-refusal": "A refusal says the first reason that is true, and what it names suffices.",
    "retry-terminates": "Doing what a refusal says, and asking again, comes to an end.",
}
"""What each property of admission says."""


def by_property() -> dict[str, list[tuple[str, Theorem]]]:
    """The theorems about admission, by the property that they belong to."""
    found: dict[str, list[tuple[str, Theorem]]] = {name: [] for name in PROSE}
    for name, theorem in THEOREMS.items():
        found.setdefault(theorem.property, []).append((name, theorem))
    return found


def faults_of(claim: str) -> Sequence[FaultEntry]:
    """The seeded faults that must break a property of admission, in the arithmetic and in the code."""
    of_proofs = [
        FaultEntry(name, fault.says, "arithmetic", claim, fault.precedent)
        for name, fault in FAULTS.items()
        if THEOREMS[fault.theorem].property == claim
    ]
    return [*of_proofs, *(fault for fault in all_faults() if fault.property == claim)]
