"""The order of asking: it finds the lowest step, and of the tickets that may be settled the fewest."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import z3

from properties.admission.chains import Numbers
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from spec.admission.steps import IN_PLACE, RELAYOUT, STEPS
from spec.logic import And, If, Implies, Not, Or, Term

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


class Looking(NamedTuple):
    """How many are looked for: which counts suffice, how many there are, and from how many on."""

    fits: Callable[[Term], Term]
    every: Term
    first: Term
    of_all: Callable[..., Term]

    def none_below(self, least: Term) -> Term:
        """No allowed count below the least suffices."""
        return self.of_all(lambda i: Implies(And(self.first <= i, i < least), Not(self.fits(i))))

    def widens(self, least: Term, tried: Term) -> Term:
        """What is known while the count that is tried is doubled."""
        return And(
            *(self.first <= least, least <= self.every, tried >= 1, least <= tried, self.none_below(least)),
        )

    def narrows(self, least: Term, most: Term) -> Term:
        """What is known while it is halved."""
        bounds = And(self.first <= least, least <= most, most <= self.every)
        return And(bounds, self.fits(most), self.none_below(least))

    @property
    def known(self) -> list[Term]:
        """All of them suffice, and more never less."""
        rises = self.of_all(lambda i: self.of_all(lambda j: Implies(And(self.fits(i), i <= j), self.fits(j))))
        return [rises, self.fits(self.every), self.first >= 0, self.first <= self.every]


def _found(subject: Subject, looking: Looking, least: Term, most: Term) -> dict[str, tuple[list[Term], Term]]:
    """What is shown of each turn: what is known before, and after."""
    code, fits = subject.code, looking.fits
    tried = most
    next_least, next_tried = code.widened(tried)
    too_few = [looking.widens(least, tried), tried < looking.every, Not(fits(tried))]
    enough = [looking.widens(least, tried), Or(looking.every <= tried, fits(tried))]
    fewest = If(looking.every <= tried, looking.every, tried)
    nearer = code.narrowed(least, most, fits(code.halfway(least, most)))
    return {
        "begins": ([], looking.widens(looking.first, code.first_try(looking.first))),
        "widens": (too_few, And(looking.widens(next_least, next_tried), next_tried > tried)),
        "has-enough": (enough, looking.narrows(least, fewest)),
        "narrows": (
            [looking.narrows(least, most), least < most],
            And(looking.narrows(*nearer), nearer[1] - nearer[0] < most - least),
        ),
        "ends": ([looking.narrows(least, most), least >= most], And(fits(most), looking.none_below(most))),
    }


def fewest_found(subject: Subject) -> Iterator[Question]:
    """The turns of both loops, one by one."""
    suffices = z3.Function("suffices", z3.IntSort(), z3.BoolSort())
    every, first = z3.Ints("every first")
    looking = Looking(lambda i: suffices(i), every, first, for_all)
    for name, (given, goal) in _found(subject, looking, *z3.Ints("least most")).items():
        yield Question(name, (*looking.known, *given), goal)


def small_fewest_found(subject: Subject, numbers: Numbers) -> Question:
    """The same of up to four."""
    enough = numbers("so many suffice", 0, 4)
    every, first, least, most = (numbers(name, 0, 4) for name in ("all", "first", "least", "most"))
    looking = Looking(lambda i: enough <= i, every, first, lambda says: And(*[says(i) for i in range(6)]))
    turns = _found(subject, looking, least, most).values()
    return Question("", tuple(looking.known), And(*[Implies(And(*given), goal) for given, goal in turns]))


def none_left_out(_: Subject) -> Iterator[Question]:
    """Each ticket that is still needed is left out if the others suffice; in the end none can be."""
    needed = z3.Function("needed", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    without = z3.Function("suffices_without", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    suffices = z3.Function("suffices", z3.IntSort(), z3.BoolSort())
    count, one = z3.Ints("count one")
    more_never_less = for_all(
        lambda i, j, t: Implies(And(i <= j, without(j, t)), without(i, t)),
        3,
        lambda i, j, t: [z3.MultiPattern(without(i, t), without(j, t))],
    )

    def turn(i: Term) -> Term:
        stays = for_all(
            lambda t: needed(i + 1, t) == And(needed(i, t), Or(t != i, Not(without(i, i)))),
            1,
            lambda t: [needed(i + 1, t)],
        )
        return And(stays, suffices(i + 1) == If(without(i, i), without(i, i), suffices(i)))

    def says(i: Term) -> Term:
        kept = Implies(And(one >= 0, one < i, needed(i, one)), Not(without(one, one)))
        return And(suffices(i), kept)

    yield from by_induction(
        [more_never_less, suffices(0), count >= 0],
        [Induction("", says, 0, count, turn, lambda i: [suffices(i)])],
        {
            "suffices": suffices(count),
            "none-too-many": Implies(And(one >= 0, one < count, needed(count, one)), Not(without(count, one))),
        },
    )


def small_none_left_out(_: Subject, numbers: Numbers) -> Question:
    """The same of two tickets, of which every set suffices or does not."""
    sets = {(a, b): numbers(f"of two tickets {a} {b} suffice", 0, 1) == 1 for a in (0, 1) for b in (0, 1)}
    rises = [Implies(sets[low], sets[high]) for low in sets for high in sets if low[0] <= high[0] and low[1] <= high[1]]
    first_goes = sets[0, 1]
    second_goes = If(first_goes, sets[0, 0], sets[1, 0])
    left = [And(Not(first_goes) == (a == 1), Not(second_goes) == (b == 1)) for a, b in sets]
    fine = [
        Implies(here, And(sets[a, b], Implies(a == 1, Not(sets[0, b])), Implies(b == 1, Not(sets[a, 0]))))
        for here, (a, b) in zip(left, sets, strict=True)
    ]
    return Question("", (*rises, sets[1, 1]), And(*fine))


THEOREMS = {
    "the-fewest-are-found": Theorem(
        "lowest-step",
        "Looking for the fewest tickets that suffice comes to an end, and finds them.",
        fewest_found,
        small_fewest_found,
    ),
    "none-can-be-left-out": Theorem(
        "honest-refusal",
        "Where each ticket without which the others suffice is left out in turn, in the end none can be.",
        none_left_out,
        small_none_left_out,
    ),
    "asked-in-order": Theorem(
        "lowest-step",
        "The first step that would do with all tickets, with the fewest tickets that do, is the lowest of all.",
        asked_in_order,
        small_asked_in_order,
    ),
}
