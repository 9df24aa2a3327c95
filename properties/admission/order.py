"""The order of asking: it finds the lowest step, and of the tickets that may be settled the fewest."""

from collections.abc import Callable, Iterator

import z3

from properties.admission.chains import Numbers
from properties.admission.questions import Question, for_all
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from spec.admission.steps import IN_PLACE, RELAYOUT, STEPS
from spec.logic import And, Implies, Not, Or, Term

Table = tuple[Callable[[int, Term], Term], Term, Callable[..., Term]]
"""Whether a demand is feasible with a step once so many tickets are settled, how many there are, and "for all"."""


def _chosen(table: Table, step: int, tickets: Term) -> Term:
    """The plan: the first step that is feasible once all tickets are settled, and the fewest tickets that do."""
    fits, every, _ = table
    fewest = And(fits(step, tickets), Or(tickets == 0, Not(fits(step, tickets - 1))), tickets >= 0, tickets <= every)
    return And(*[Not(fits(lower, every)) for lower in STEPS if lower < step], fewest)


def _never_less(table: Table) -> Term:
    fits, every, of_all = table
    return And(
        *[
            of_all(lambda i, j, step=step: Implies(And(i >= 0, i <= j, j <= every, fits(step, i)), fits(step, j)))
            for step in STEPS
        ]
    )


def _is_lowest(table: Table, step: int, tickets: Term) -> Term:
    fits, every, of_all = table

    def no_better(i: Term, _: Term) -> Term:
        inside = And(i >= 0, i <= every)
        lower = Or(*[fits(other, i) for other in STEPS if other < step])
        return Implies(inside, And(Not(lower), Implies(fits(step, i), tickets <= i)))

    return of_all(no_better)


def asked_in_order(_: Subject) -> Iterator[Question]:
    """Steps are asked from the first, with all tickets, and then for the fewest tickets."""
    fits = z3.Function("fits", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    every, tickets = z3.Ints("every tickets")
    table: Table = (lambda step, i: fits(z3.IntVal(step), i), every, lambda says: for_all(says, 2))
    for step in STEPS:
        yield Question(
            f"step-{step}", (_never_less(table), _chosen(table, step, tickets)), _is_lowest(table, step, tickets)
        )


def small_asked_in_order(_: Subject, numbers: Numbers) -> Question:
    """The same of two tickets."""
    tickets = numbers("tickets", 0, 2)
    chosen = numbers("step", IN_PLACE, RELAYOUT)

    def fits(step: int, count: Term) -> Term:
        known = [numbers(f"step {step} fits with {i} tickets", 0, 1) == 1 for i in range(3)]
        return Or(*[And(count == i, each) for i, each in enumerate(known)])

    table: Table = (fits, 2, lambda says: And(*[says(i, j) for i in range(3) for j in range(3)]))
    steps = [Implies(chosen == step, _chosen(table, step, tickets)) for step in STEPS]
    goals = [Implies(chosen == step, _is_lowest(table, step, tickets)) for step in STEPS]
    return Question("", (_never_less(table), *steps), And(*goals))


THEOREMS = {
    "asked-in-order": Theorem(
        "lowest-step",
        "The first step that would do with all tickets, with the fewest tickets that do, is the lowest of all.",
        asked_in_order,
        small_asked_in_order,
    ),
}
