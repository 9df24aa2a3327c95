"""Turns as actions: what a turn does, page by page, is allowed by the guards of the actions, and there is an end to it.

A band at its turn has a span between its old one and the grown one. It grows, moves the pages that are outside its new
span, then gives up what it no longer needs. That it finds the room is a theorem of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import z3

from properties.admission.chains import Numbers
from properties.admission.ranks import unknown_state
from properties.admission.relayout import has_room
from properties.admission.states import STATE, small_state
from properties.admission.subject import Subject
from properties.admission.theorem import stated
from properties.unbounded import FunctionMap
from spec.admission.steps import RELAYOUT
from spec.invariants import conservation, ledger_wellformed
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall, Some
from spec.state import ARENA, FREE, LIVE, State
from spec.words import holders, in_span, in_use, is_empty


class Turn(NamedTuple):
    """A state, the band whose turn it is, its grown span and its new one, a page that leaves and one that is taken."""

    s: State
    band: Any
    lowest: Any
    highest: Any
    new_lo: Any
    new_hi: Any
    page: Any
    target: Any


NAMES = ("lowest", "highest", "new_lo", "new_hi", "page", "target")


def _any_turn(_: Subject) -> Turn:
    return Turn(unknown_state("the", ARENA), z3.Int("band"), *z3.Ints(" ".join(NAMES)))


def _small_turn(subject: Subject, numbers: Numbers) -> Turn:
    size = STATE.size
    s = small_state(subject, numbers).but(
        base=0, capacity=size, bottom=0, top=size, address=FunctionMap(lambda _, page: page)
    )
    return Turn(s, 1, *[numbers(name, 0, size) for name in NAMES])


def room(s: State, band: Term, lowest: Term, highest: Term) -> Term:
    """Whatever part of its grown span the band has, it has the room for it."""
    return Forall(
        "page page",
        lambda lo, hi: Implies(And(lowest <= lo, lo < hi, hi <= highest), has_room(s, band, lo, hi)),
    )


def is_outside(turn: Turn, page: Term) -> Term:
    """The page is not in the new span."""
    return Or(page < turn.new_lo, turn.new_hi <= page)


def _at_its_turn(subject: Subject, turn: Turn) -> Sequence[Term]:
    s, band, lowest, highest, new_lo, new_hi, *_ = turn
    lo, hi, last = s.lo[band], s.hi[band], s.bands - 1
    return (
        *(s.bands >= 2, band >= 0, band <= last),
        room(s, band, lowest, highest),
        And(lowest <= new_lo, new_lo < new_hi, new_hi <= highest),
        Or(And(lowest <= lo, lo < hi, hi <= highest), And(lo == hi, lowest == new_lo, highest == new_hi)),
        Implies(band == 0, And(lowest == s.bottom, new_lo == s.bottom, lo == s.bottom)),
        Implies(band == last, And(highest == s.top, new_hi == s.top, hi == s.top)),
        Forall("page", lambda page: Implies(subject.stays(s, RELAYOUT, band, page), Not(is_outside(turn, page)))),
        *(ledger_wellformed.holds(s), conservation.holds(s)),
    )


def _is_allowed(subject: Subject, turn: Turn) -> Mapping[str, Term]:
    s, band, lowest, highest, new_lo, new_hi, page, target = turn
    lo, hi, last = s.lo[band], s.hi[band], s.bands - 1
    empty = is_empty(s, band)

    def allowed(name: str, *arguments: Term) -> Term:
        return And(*[condition for _, condition, _ in subject.actions[name].guard(s, band, *arguments)])

    leaves = And(s.status[band, page] == LIVE, is_outside(turn, page))
    takes = And(in_span(s, band, target), s.status[band, target] == FREE)
    return {
        "grow-low": Implies(And(lowest < lo, Or(Not(empty), band == last)), allowed("grow-low")),
        "grow-high": Implies(And(hi < highest, Or(Not(empty), band == 0)), allowed("grow-high")),
        "appear": Implies(And(empty, band > 0, band < last, new_lo <= page, page < new_hi), allowed("appear", page)),
        "move": Implies(And(leaves, takes), allowed("move", page, target)),
        "all-outside-leave": Implies(And(in_use.holds(s, band, page), is_outside(turn, page)), leaves),
        "absorb-low": Implies(And(lo < new_lo, Not(empty), s.status[band, lo] == FREE), allowed("absorb-low")),
        "absorb-high": Implies(And(new_hi < hi, Not(empty), s.status[band, hi - 1] == FREE), allowed("absorb-high")),
    }


def _counts_down(subject: Subject, turn: Turn) -> Mapping[str, Term]:
    """What is still to be done is a number that falls with each action and is never below nothing."""
    s, band, lowest, highest, new_lo, new_hi, page, _ = turn
    lo, hi = s.lo[band], s.hi[band]

    def to_grow(of: State) -> Term:
        whole = highest - lowest
        return If(is_empty(of, band), whole, (of.lo[band] - lowest) + (highest - of.hi[band]))

    def to_give_up(of: State) -> Term:
        below, above = new_lo - of.lo[band], of.hi[band] - new_hi
        return If(below > 0, below, 0) + If(above > 0, above, 0)

    def falls(name: str, of: Any, *arguments: Term) -> Term:
        after = subject.actions[name].effect(s, band, *arguments)
        return And(of(after) >= 0, of(after) < of(s))

    inside, empty = And(lowest <= lo, lo <= hi, hi <= highest), is_empty(s, band)
    grows = Implies(lowest < lo, falls("grow-low", to_grow)), Implies(hi < highest, falls("grow-high", to_grow))
    below = Implies(lo < new_lo, falls("absorb-low", to_give_up))
    above = Implies(new_hi < hi, falls("absorb-high", to_give_up))
    return {
        "growing": Implies(And(inside, Not(empty)), And(*grows)),
        "appearing": Implies(And(empty, lowest <= page, page < highest), falls("appear", to_grow, page)),
        "giving-up": Implies(And(lo <= new_lo, new_hi <= hi), And(below, above)),
    }


def _turns(_: Subject, turn: Turn) -> Mapping[str, Term]:
    s, band, page = turn.s, turn.band, turn.page
    leaves = And(s.status[band, page] == LIVE, is_outside(turn, page), in_span(s, band, page))
    held = And(Some(holders(s, band, turn.target)), in_span(s, band, turn.target))
    return {"a page leaves": leaves, "another is held": And(leaves, held), "a float appears": is_empty(s, band)}


# ------------------------------------------------------------------------------------------------------- compaction


def _is_outermost(_: Subject, turn: Turn) -> Sequence[Term]:
    """A live page that nobody holds, of which there is none in use further out, and a hole further in."""
    s, band, page, target = turn.s, turn.band, turn.page, turn.target

    def all_free(lo: Term, hi: Term) -> Term:
        return Forall("page", lambda other: Implies(And(lo <= other, other < hi), s.status[band, other] == FREE))

    from_above = And(target < page, all_free(page + 1, s.hi[band]), band < s.bands - 1)
    from_below = And(page < target, all_free(s.lo[band], page), band > 0)
    return (
        *(s.bands >= 2, band >= 0, band < s.bands),
        *(in_span(s, band, page), in_span(s, band, target)),
        *(s.status[band, page] == LIVE, s.status[band, target] == FREE, Not(Some(holders(s, band, page)))),
        Or(from_above, from_below),
    )


def _retreats(subject: Subject, turn: Turn) -> Mapping[str, Term]:
    s, band, page, target = turn.s, turn.band, turn.page, turn.target
    after = subject.moved(s, band, page, target)

    def allowed(name: str, of: State) -> Term:
        return And(*[condition for _, condition, _ in subject.actions[name].guard(of, band)])

    def down_to(hi: Term) -> Term:
        of = after.but(hi=after.hi.set(band, hi))
        return Implies(And(target < page, page < hi, hi <= s.hi[band]), allowed("absorb-high", of))

    def up_to(lo: Term) -> Term:
        of = after.but(lo=after.lo.set(band, lo))
        return Implies(And(page < target, s.lo[band] <= lo, lo <= page), allowed("absorb-low", of))

    return {"from-above": Forall("page", down_to), "from-below": Forall("page", up_to)}


THEOREMS = {
    "turns-are-actions": stated(
        "reachable",
        "What a band does at its turn, page by page, is allowed by the guards of the actions that it takes.",
        _at_its_turn,
        _is_allowed,
        _any_turn,
        _small_turn,
        STATE,
        _turns,
    ),
    "actions-run-out": stated(
        "retry-terminates",
        "Growing, appearing and giving up pages leave fewer of the same to do at a turn.",
        lambda _, turn: (turn.new_lo >= turn.lowest, turn.new_lo < turn.new_hi, turn.new_hi <= turn.highest),
        _counts_down,
        _any_turn,
        _small_turn,
        STATE,
    ),
    "compaction-shrinks": stated(
        "retry-terminates",
        "Once the outermost live page has moved further in, its span can retreat behind it: each time it is smaller.",
        _is_outermost,
        _retreats,
        _any_turn,
        _small_turn,
        STATE,
    ),
}
