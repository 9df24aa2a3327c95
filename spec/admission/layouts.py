"""Layouts: the spans that a demand may lead to.

A layout is read from a state with these maps besides the arena's constants: `lo` and `hi`, the spans; `need`, the least
count of pages of each band; `fixed`, whether a page of a band must stay where it is.
"""

from spec.invariants import anchored_ends, band_order, inside_arena, span
from spec.logic import And, Implies, Term
from spec.ranges import Forall
from spec.state import Field, State
from spec.words import in_span

CASE = {
    "need": Field("band", "count", "the least count of pages of a band"),
    "fixed": Field("band page", "bool", "whether a page of a band must stay where it is"),
}
"""What a layout is asked for, besides what a state is made of."""


def contains_fixed(s: State) -> Term:
    """Every page that must stay is inside its band's span."""
    return Forall("band page", lambda band, page: Implies(s.fixed[band, page], in_span(s, band, page)))


def gives_enough(s: State) -> Term:
    """Every span has as many pages as its band needs."""
    return Forall("band", lambda band: s.hi[band] - s.lo[band] >= s.need[band])


DEFINITION = {
    **{invariant.name: invariant.holds for invariant in (span, band_order, inside_arena, anchored_ends)},
    "contains-fixed": contains_fixed,
    "gives-enough": gives_enough,
}
"""What makes a layout legal, sentence by sentence: what the spans of every legal state obey, and these two."""


def is_legal(s: State) -> Term:
    """The spans are a legal state's, contain what must stay, and give every band what it needs."""
    return And(*[holds(s) for holds in DEFINITION.values()])


def is_arena(s: State) -> Term:
    """There are two bands or more, the first begins at the lowest page inside the arena, and the last ends at the
    highest, whose neighbours outside are not inside."""
    last = s.bands - 1
    return And(
        s.bands >= 2,
        s.base <= s.capacity,
        s.base <= s.address[0, s.bottom],
        s.address[0, s.bottom - 1] < s.base,
        s.address[last, s.top] <= s.capacity,
        s.capacity < s.address[last, s.top + 1],
    )


def asks(s: State) -> Term:
    """No band needs less than nothing."""
    return Forall("band", lambda band: s.need[band] >= 0)


def asks_no_more(s: State, other: State) -> Term:
    """Every page that must stay in the first case must in the other, and no band needs more pages."""
    return And(
        Forall("band page", lambda band, page: Implies(s.fixed[band, page], other.fixed[band, page])),
        Forall("band", lambda band: s.need[band] <= other.need[band]),
    )
