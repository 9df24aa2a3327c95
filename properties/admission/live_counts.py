"""How many live pages are below a page: what is known of that count, and that the lines of `impl.columns` find it."""

from collections.abc import Iterator

import z3

from properties.admission.code import BRANCHES, LIVE, loaded
from properties.admission.questions import Induction, Question, by_induction, for_all
from properties.admission.rooms import number_function
from properties.admission.rows import Facts, Numpy, Row
from properties.admission.subject import Subject
from spec.logic import And, If, Implies, Term


def counts(_: Subject) -> Iterator[Question]:
    """What is known of the count of live pages below a page, by induction over pages."""
    lives = z3.Function("lives", z3.IntSort(), z3.BoolSort())
    below = number_function("below")
    first, last, lo, hi, some = z3.Ints("first last lo hi some")
    known = [
        below(first) == 0,
        for_all(lambda page: Implies(lives(page), And(lo <= page, page < hi)), 1, lambda page: [lives(page)]),
        *(first <= lo, lo <= hi, hi <= last, first <= some, some <= last),
    ]

    def counted(page: Term) -> Term:
        return below(page + 1) == below(page) + If(lives(page), 1, 0)

    def says(page: Term) -> Term:
        return And(
            below(page) >= 0,
            Implies(page <= lo, below(page) == 0),
            Implies(some <= page, below(some) <= below(page)),
            Implies(And(some >= hi, some <= page), below(some) == below(page)),
        )

    yield from by_induction(
        known,
        [Induction("", says, first, last, counted, lambda page: [below(page)])],
        {
            "conclusion": And(
                below(some) >= 0, below(some) <= below(last), Implies(some >= hi, below(some) == below(last))
            )
        },
    )


def counts_below(subject: Subject) -> Iterator[Question]:
    """The lines that count live pages count those below each page."""
    facts = Facts()
    status, below = (number_function(name) for name in ("status", "live_below"))
    limit, first, last, at = z3.Ints("limit first last at")
    code = loaded({**BRANCHES, "np": Numpy(facts)}, subject.edit)
    counted = code.live_below(Row(facts, limit, lambda page: status(page)), first, last)
    within, behind = facts.running
    known = [first >= 0, first <= last, last <= limit, below(0) == 0, at >= 0, at <= last - first]

    def one_more(page: Term) -> Term:
        return below(page + 1) == below(page) + If(status(page) == LIVE, 1, 0)

    yield from by_induction(
        [*known, *facts.facts],
        [
            Induction("before-", lambda i: behind(i) == below(i), 0, first, one_more, lambda i: [behind(i)]),
            Induction(
                "from-there-",
                lambda i: within(i) == below(first + i) - below(first),
                *(0, last - first, lambda i: one_more(first + i), lambda i: [within(i)]),
            ),
        ],
        {
            "conclusion": counted.at(at) == below(first + at),
            "one-for-each": counted.size == last - first + 1,
            "nothing-fails": And(*facts.demands),
        },
    )
