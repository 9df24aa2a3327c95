"""A theorem about admission: how it is asked in parts of anything, and at once of a small case."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from properties.admission.chains import CHAIN, Numbers, Shape
from properties.admission.questions import Question
from properties.admission.small import Small
from properties.admission.subject import Subject
from spec.logic import And, Term

Case = TypeVar("Case")


@dataclass(frozen=True)
class Theorem:
    """Something that is shown of anything, and how it reads of a small case."""

    property: str
    prose: str
    questions: Callable[[Subject], Iterator[Question]]
    """What is asked of the solver, to be called inside the reading of anything."""

    small: Callable[[Subject, Numbers], Question] | None = None
    """All of it at once of a small case, to be called inside one of the small readings."""

    few: Callable[[Subject], Iterator[tuple[Small, Question]]] | None = None
    """Or all of it at once of few small cases in plain values, where no solver can look for one."""

    shape: Shape = CHAIN
    """The shape of a small case."""

    reads_alike: bool = False
    """What is given of a small case is what is given of anything: that it can be is seen there."""

    leans_on: tuple[str, ...] = ()
    """The theorems that it takes as given, besides the lemmas about grids and induction."""


def stated(
    property_name: str,
    prose: str,
    given: Callable[[Subject, Case], Sequence[Term]],
    goals: Callable[[Subject, Case], Mapping[str, Term]],
    anything: Callable[[Subject], Case],
    small: Callable[[Subject, Numbers], Case],
    shape: Shape = CHAIN,
    cases: Callable[[Subject, Case], Mapping[str, Term]] = lambda *_: {},
) -> Theorem:
    """A theorem that reads the same of anything and of a small case: each goal follows from what is given."""

    def questions(subject: Subject) -> Iterator[Question]:
        case = anything(subject)
        known = tuple(given(subject, case))
        for name, goal in goals(subject, case).items():
            yield Question(name, known, goal)

    def of_small(subject: Subject, numbers: Numbers) -> Question:
        case = small(subject, numbers)
        return Question("", tuple(given(subject, case)), And(*goals(subject, case).values()), cases(subject, case))

    return Theorem(property_name, prose, questions, of_small, shape=shape, reads_alike=True)
