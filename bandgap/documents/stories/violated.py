"""The smallest cases in which seeded faults break the properties of admission, judged anew without a solver."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from properties.admission.asking import counterexample, refutes
from properties.admission.faults import FAULTS
from properties.admission.small import Small
from properties.admission.subject import AS_IT_IS
from properties.admission.theorems import THEOREMS
from properties.limits import USUAL
from spec.admission.layouts import CASE
from spec.state import CONSTANTS, FIELDS


@dataclass(frozen=True)
class Violated:
    """A seeded fault, and the numbers of a case that the theorem it breaks is false of; all others are 0."""

    fault: str
    numbers: Mapping[str, int]

    @property
    def theorem(self) -> str:
        """The theorem that breaks."""
        return FAULTS[self.fault].theorem

    def breaks(self, numbers: Mapping[str, int]) -> bool:
        """Whether the theorem is false of a case with the fault, and of none without it."""
        theorem = THEOREMS[self.theorem]
        right, wrong = (refutes(theorem, subject, numbers) for subject in (AS_IT_IS, FAULTS[self.fault].subject))
        return wrong and not right

    def smaller(self) -> list[Mapping[str, int]]:
        """The cases in which one number is smaller."""
        lower = ([{**self.numbers, name: less} for less in range(value)] for name, value in self.numbers.items())
        return list(chain.from_iterable(lower))


VIOLATED: Mapping[str, Violated] = {
    "admission-sound": Violated("packs-over-the-pins", {"pin_hi of band 1": 1, "capacity": 10, "top": 10}),
    "admission-complete": Violated(
        "packs-a-page-too-many",
        {
            **{"pin_lo of band 2": 3, "pin_hi of band 2": 4, "lo of band 0": 2, "lo of band 2": 3, "hi of band 0": 2},
            **{"hi of band 2": 10, "base": 3, "capacity": 10, "bottom": 2, "top": 10},
        },
    ),
    "lowest-step": Violated("relayout-keeps-the-ends", {"status of 2 1": 1}),
    "reachable": Violated(
        "lowest-turns-first",
        {
            **{"lo of band 2": 2, "lo of band 3": 4, "hi of band 1": 1, "hi of band 2": 3, "hi of band 3": 4},
            **{"capacity": 5, "top": 4, "new lo of band 1": 1, "new lo of band 2": 4, "new lo of band 3": 4},
            **{"new hi of band 1": 2, "new hi of band 2": 5, "new hi of band 3": 4},
        },
    ),
    "honest-refusal": Violated(
        "evicts-a-page-too-few",
        {"origin of band 2": 2, "capacity": 4, "top": 2, "demand of band 0": 1, "demand of band 1": 1},
    ),
    "retry-terminates": Violated("asks-for-nothing", {"capacity": 1, "top": 1, "demand of band 0": 1}),
    "rank-agreement": Violated(
        "settles-what-has-landed-here", {"status of 1 2": 2, "held of 0 1 2": 1, "the other's flying of 1 2": 1}
    ),
    "conservation": Violated(
        "loses-what-was-held",
        {
            **{"hi of 2": 2, "status of 2 0": 2, "status of 2 1": 1, "refs of 2 1": 1, "page_of of 2 1": 1},
            **{"vid_at of 2 1": 1, "held of 0 2 0": 1},
        },
    ),
}
"""A fault that breaks each property; no number of its case can be made smaller by itself."""

AMONG_FEW = {"fewest-bytes": "passes-over-the-first-live-page"}
"""The fault whose first case is told, where cases are gone through one by one."""


def smallest(claim: str) -> tuple[str, str, str]:
    """A seeded fault, the theorem that it breaks, and the case, for a property.

    Raises:
        AssertionError: the case breaks nothing.
    """
    if claim in AMONG_FEW:
        fault = FAULTS[AMONG_FEW[claim]]
        found = counterexample(THEOREMS[fault.theorem], fault.subject, USUAL)
        assert found is not None
        return AMONG_FEW[claim], fault.theorem, str(found)
    violated = VIOLATED[claim]
    assert violated.breaks(violated.numbers), claim
    return violated.fault, violated.theorem, str(Small(violated.numbers))


NAMES: Mapping[str, str] = {
    **{name: field.prose for name, field in {**FIELDS, **CONSTANTS, **CASE}.items()},
    "status": "what a page is, of band and page: 0 is free, 1 live, 2 withheld",
    "held": "how a ticket holds a page, of ticket, band and page: 0 is not at all, 1 for reading, 2 for writing",
    "page_of": "where a virtual page lives, of band and id",
    "vid_at": "which virtual page lives at a page, of band and page",
    "refs": "the references to a virtual page, of band and id",
    "the other's flying": "whether a write is in flight to a page of the other rank, of band and page",
    "origin": "the byte at which page 0 of a band begins",
    "pin_lo": "the first page of a band that must stay",
    "pin_hi": "the page after the last that must stay",
    "demand": "how many pages of a band are asked for",
    "live": "how many pages of a band are live",
    "new lo": "the first page of the span that a band is to have",
    "new hi": "the page after its last",
    "page bytes": "bytes of a page of a band",
    "page": "that a page is live, if it is 1",
}


def names_in(case: str) -> list[tuple[str, str]]:
    """What the numbers of a case are called, and what each is."""
    called = [part.split(" of ")[0].split(" = ")[0] for part in case.split(";")[0].split(", ")]
    called = ["page" if name.startswith("page ") and name != "page bytes" else name for name in called]
    return [(name, NAMES[name]) for name in dict.fromkeys(called)]
