"""Lemmas about the grid of a band: all that is known of it where a chain is reasoned about, each shown by itself.

They are the only place where numbers that are not known are multiplied or divided.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from properties.admission.chains import Numbers
from properties.admission.code import Code
from properties.admission.questions import Question, for_all
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from spec.logic import Implies, Term


@dataclass(frozen=True)
class Lemma:
    """Something about an origin, a size above zero, and two more numbers; `of` are the terms that call it to mind."""

    property: str
    prose: str
    holds: Callable[[Code, Term, Term, Term, Term], Term]
    of: Callable[[Code, Term, Term, Term, Term], Sequence[Term]]


LEMMAS = {
    "first-page-from.begins-there-or-above": Lemma(
        "admission-sound",
        "The first page from a byte begins at that byte or above it.",
        lambda code, o, s, x, _: code.address(o, s, code.first_page_from(o, s, x)) >= x,
        lambda code, o, s, x, _: [code.first_page_from(o, s, x)],
    ),
    "first-page-from.is-the-lowest": Lemma(
        "admission-complete",
        "No page below the first page from a byte begins at that byte or above it.",
        lambda code, o, s, x, p: Implies(code.address(o, s, p) >= x, code.first_page_from(o, s, x) <= p),
        lambda code, o, s, x, p: [code.address(o, s, p), code.first_page_from(o, s, x)],
    ),
    "pages-until.end-there-or-below": Lemma(
        "admission-sound",
        "The pages until a byte end at that byte or below it.",
        lambda code, o, s, x, _: code.address(o, s, code.pages_until(o, s, x)) <= x,
        lambda code, o, s, x, _: [code.pages_until(o, s, x)],
    ),
    "pages-until.is-the-highest": Lemma(
        "admission-complete",
        "No page above the pages until a byte ends at that byte or below it.",
        lambda code, o, s, x, p: Implies(code.address(o, s, p) <= x, p <= code.pages_until(o, s, x)),
        lambda code, o, s, x, p: [code.address(o, s, p), code.pages_until(o, s, x)],
    ),
    "address.rises": Lemma(
        "admission-sound",
        "The address of a page never falls as pages rise.",
        lambda code, o, s, p, q: Implies(p <= q, code.address(o, s, p) <= code.address(o, s, q)),
        lambda code, o, s, p, q: [code.address(o, s, p), code.address(o, s, q)],
    ),
}


def laws(code: Code) -> list[Term]:
    """The lemmas as laws of an opaque grid."""

    def law(lemma: Lemma) -> Term:
        def pattern(*xs: Any) -> list[Any]:
            terms = lemma.of(code, *xs)
            return [terms[0] if len(terms) == 1 else z3.MultiPattern(*terms)]

        unused = len({str(t) for t in lemma.of(code, *z3.Ints("o s x y"))}) == 1
        if unused:
            return for_all(
                lambda o, s, x: Implies(s > 0, lemma.holds(code, o, s, x, 0)), 3, lambda o, s, x: pattern(o, s, x, 0)
            )
        return for_all(lambda o, s, x, y: Implies(s > 0, lemma.holds(code, o, s, x, y)), 4, pattern)

    return [law(lemma) for lemma in LEMMAS.values()]


def _theorem(lemma: Lemma) -> Theorem:
    def questions(subject: Subject) -> Iterator[Question]:
        origin, size, one, other = z3.Ints("origin size one other")
        yield Question("lemma", (size > 0,), lemma.holds(subject.code, origin, size, one, other))

    def small(subject: Subject, numbers: Numbers) -> Question:
        terms = [numbers("origin", 0, 2), 3, numbers("one", 0, 9), numbers("other", 0, 9)]
        return Question("", (), lemma.holds(subject.code, *terms))

    return Theorem(lemma.property, lemma.prose, questions, small)


THEOREMS = {name: _theorem(lemma) for name, lemma in LEMMAS.items()}
