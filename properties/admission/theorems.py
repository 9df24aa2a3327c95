"""Everything that is shown about admission, by name."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from properties.admission import (
    changes,
    cheapest,
    choices,
    counting,
    counts,
    evictions,
    grid,
    in_place,
    order,
    packing,
    ranks,
    relayout,
    retries,
    rooms,
    turns,
)
from properties.admission.chains import Numbers
from properties.admission.questions import Question, induction_lemma
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from spec.logic import And, Implies


def _induction(_: Subject) -> Iterator[Question]:
    yield from induction_lemma()


def _small_induction(_: Subject, numbers: Numbers) -> Question:
    says = [numbers(f"it is said of {i}", 0, 1) == 1 for i in range(4)]
    steps = [Implies(this, following) for this, following in pairwise(says)]
    return Question("", (says[0], *steps), And(*says))


INDUCTION = Theorem(
    "admission-complete",
    "What holds of the first number, and of the next whenever of one, holds of all up to the last.",
    _induction,
    _small_induction,
)

THEOREMS: Mapping[str, Theorem] = {
    **grid.THEOREMS,
    "induction": INDUCTION,
    **packing.THEOREMS,
    **rooms.THEOREMS,
    **choices.THEOREMS,
    **in_place.THEOREMS,
    **evictions.THEOREMS,
    **counting.THEOREMS,
    **changes.THEOREMS,
    **order.THEOREMS,
    **cheapest.THEOREMS,
    **relayout.THEOREMS,
    **turns.THEOREMS,
    **retries.THEOREMS,
    **ranks.THEOREMS,
    **counts.THEOREMS,
}
