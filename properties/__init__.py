"""Why it is true: obligations, proofs for any arena, counterexamples in small ones, vacuity and necessity.

`run` shows everything, or what `selected` chooses by name, and reports it.
"""

from properties.answers import Answer, Verdict
from properties.limits import USUAL, Limits
from properties.report import Report, Witness
from properties.runs import run
from properties.selection import Selection, UnknownName, broken, everything, selected
from properties.trials import Trial
from properties.witnesses import Sighting

__all__ = [
    "USUAL",
    "Answer",
    "Limits",
    "Report",
    "Selection",
    "Sighting",
    "Trial",
    "UnknownName",
    "Verdict",
    "Witness",
    "broken",
    "everything",
    "run",
    "selected",
]
