"""The order in which bands take on new spans: `now` and `then` are the layouts before and after, as states.

Who takes its turn first grows until it has both its spans, then moves its pages, then gives up the old one. An empty
span has no position to change, and no band that has a page in use ends up without a span.
"""

from collections.abc import Callable
from typing import TypeAlias

from spec.admission.maps import Says
from spec.logic import And, If, Implies, Not, Or, Term, larger
from spec.ranges import Forall
from spec.state import State
from spec.words import is_empty

Order: TypeAlias = Callable[[State, State, Term, Term], Term]

SHRINKS, MOVES_RIGHT, MOVES_LEFT, GROWS = 1, 2, 3, 4
"""The turns, in order."""


def takes_turn(now: State, then: State, band: Term) -> Term:
    """The band's span changes."""
    return And(Not(is_empty(then, band)), Or(now.lo[band] != then.lo[band], now.hi[band] != then.hi[band]))


def turn(now: State, then: State, band: Term) -> Term:
    """When the band takes its turn: bands that shrink at both ends first, then those that move right, then those that
    move left, then those that only grow."""
    lo, hi, new_lo, new_hi = now.lo[band], now.hi[band], then.lo[band], then.hi[band]
    shrinks = And(lo <= new_lo, new_hi <= hi)
    right, left = And(lo < new_lo, hi < new_hi), And(new_lo < lo, new_hi < hi)
    moves = If(right, MOVES_RIGHT, If(left, MOVES_LEFT, GROWS))
    return If(is_empty(now, band), GROWS, If(shrinks, SHRINKS, moves))


def is_before(now: State, then: State, one: Term, other: Term) -> Term:
    """One band takes its turn before another: of those that move right the higher, of all others the lower."""
    first, second = turn(now, then, one), turn(now, then, other)
    nearer = If(first == MOVES_RIGHT, one > other, one < other)
    return Or(first < second, And(first == second, nearer))


def keeps_spans(now: State, then: State) -> Term:
    """No band that has a span is left without one."""
    return Forall("band", lambda band: Implies(Not(is_empty(now, band)), Not(is_empty(then, band))))


def at_turn(now: State, then: State, band: Term, before: Order = is_before) -> State:
    """The spans when the band's turn comes: new those of all whose turn was before, old the others."""

    def where(name: str, other: Term) -> Term:
        gone = And(takes_turn(now, then, other), before(now, then, other, band))
        return If(gone, getattr(then, name)[other], getattr(now, name)[other])

    return now.but(lo=Says(lambda other: where("lo", other)), hi=Says(lambda other: where("hi", other)))


def grown(now: State, then: State, band: Term) -> tuple[Term, Term]:
    """The span that has both the old and the new one of a band; an empty one just appears where it will be."""
    empty = is_empty(now, band)
    lowest = If(now.lo[band] <= then.lo[band], now.lo[band], then.lo[band])
    return If(empty, then.lo[band], lowest), If(empty, then.hi[band], larger(now.hi[band], then.hi[band]))
