"""Bytes of pages: a page's bytes times a count of pages, of which the other theorems know nothing but these laws."""

from collections.abc import Iterator

import z3

from properties.admission.questions import Question, for_all
from properties.admission.rows import product
from properties.admission.subject import Subject
from spec.logic import And, Implies, Term


def product_laws() -> list[Term]:
    """What is known of bytes times counts."""
    return [
        for_all(lambda s, x: Implies(And(s > 0, x >= 0), product(s, x) >= 0), 2, lambda s, x: [product(s, x)]),
        for_all(
            lambda s, x, y: Implies(And(s > 0, x <= y), product(s, x) <= product(s, y)),
            3,
            lambda s, x, y: [z3.MultiPattern(product(s, x), product(s, y))],
        ),
    ]


def products(_: Subject) -> Iterator[Question]:
    """The laws, of numbers that are multiplied; and that what is below and what is above a span is what is outside."""
    size, x, y = z3.Ints("size x y")
    yield Question("is-a-count", (size > 0, x >= 0), size * x >= 0)
    yield Question("rises", (size > 0, x <= y), size * x <= size * y)
    yield Question("of-both-sides", (), size * x + size * y == size * (x + y))
