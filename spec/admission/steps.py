"""The steps, in rising cost, and what each of them lets move."""

from collections.abc import Iterable

from spec.logic import And, Not, Or, Term
from spec.ranges import Some
from spec.state import LIVE, SETTLED, State
from spec.words import holders, in_use, publishers, retire

IN_PLACE, COMPACT_ENDS, RELAYOUT = 1, 2, 3
"""No page moves; pages of the two end bands do, within their own band; those of floats do too."""

STEPS = (IN_PLACE, COMPACT_ENDS, RELAYOUT)


def is_pinned(s: State, band: Term, page: Term) -> Term:
    """A ticket holds the page, or it is live while somebody has published addresses."""
    return Or(Some(holders(s, band, page)), And(s.status[band, page] == LIVE, Some(publishers(s))))


def may_move(s: State, step: int, band: Term) -> Term:
    """The step lets pages of the band move, unless they are pinned."""
    return Or(step == RELAYOUT, And(step == COMPACT_ENDS, Or(band == 0, band == s.bands - 1)))


def stays(s: State, step: int, band: Term, page: Term) -> Term:
    """The page must stay where it is: it is pinned, or in use and the step does not let it move."""
    return Or(
        is_pinned(s, band, page),
        And(in_use.holds(s, band, page), Not(may_move(s, step, band))),
    )


def settled(s: State, tickets: Iterable[Term]) -> State:
    """The second form of a step: these tickets are settled first, one after the other."""
    for ticket in tickets:
        s = retire(s, ticket, SETTLED)
    return s
