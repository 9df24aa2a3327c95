"""Relayout: in the order of turns every band finds all the room that it needs, and there is an end to it."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import z3

from properties.admission.chains import Numbers, Shape, any_chain, have_size, small_chain
from properties.admission.grid import laws
from properties.admission.states import STATE, any_state, small_state
from properties.admission.subject import Subject
from properties.admission.theorem import stated
from properties.unbounded import FunctionMap
from spec.admission.relayout import GROWS, MOVES_LEFT, MOVES_RIGHT, SHRINKS, at_turn, keeps_spans, takes_turn, turn
from spec.invariants import anchored_ends, band_order, inside_arena, span
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import LIVE, State
from spec.words import clear_of_others, in_arena, in_use, is_empty

LAYOUT = (span, band_order, inside_arena, anchored_ends)
"""What the spans of every legal state obey."""


def obeys(s: State) -> Term:
    """The spans are a legal state's."""
    return And(*[invariant.holds(s) for invariant in LAYOUT])


SPANS = Shape((1, 2, 1, 1), 6)
"""The shape of small chains: the two bands in the middle are floats."""


def has_room(s: State, band: Term, lo: Term, hi: Term) -> Term:
    """The span is inside the arena and clear of all others."""
    return And(in_arena(s, band, lo, hi), clear_of_others(s, band, lo, hi))


class Pair(NamedTuple):
    """The spans now, those that are to be, and some span."""

    now: State
    then: State
    lo: Any
    hi: Any


def _any_pair(subject: Subject) -> Pair:
    s = any_chain(subject.on_opaque_grids)
    lo, hi = (z3.Function(name, z3.IntSort(), z3.IntSort()) for name in ("then_lo", "then_hi"))
    return Pair(s, s.but(lo=FunctionMap(lo), hi=FunctionMap(hi)), *z3.Ints("some_lo some_hi"))


def _small_pair(subject: Subject, numbers: Numbers) -> Pair:
    s = small_chain(subject.code, numbers, SPANS)
    lo, hi = ([numbers(f"new {name} of band {b}", 0, SPANS.size + 1) for b in range(s.bands)] for name in ("lo", "hi"))
    return Pair(s, s.but(lo=lo, hi=hi), *[numbers(f"some {name}", 0, SPANS.size + 1) for name in ("lo", "hi")])


def _both_obey(subject: Subject, pair: Pair) -> Sequence[Term]:
    now, then, *_ = pair
    known = laws(subject.on_opaque_grids) if isinstance(now.bands, z3.ExprRef) else []
    return *known, have_size(now), now.bands >= 2, obeys(now), obeys(then), keeps_spans(now, then)


def _is_order(subject: Subject, pair: Pair) -> Mapping[str, Term]:
    def before(one: Term, other: Term) -> Term:
        return subject.is_before(pair.now, pair.then, one, other)

    return {
        "one-at-a-time": Forall("band band", lambda b, c: Implies(b != c, Or(before(b, c), before(c, b)))),
        "never-back": Forall("band band", lambda b, c: Not(And(before(b, c), before(c, b)))),
        "transitive": Forall("band band band", lambda b, c, d: Implies(And(before(b, c), before(c, d)), before(b, d))),
    }


def _has_room(subject: Subject, pair: Pair) -> Mapping[str, Term]:
    now, then, lo, hi = pair

    @functools.cache
    def here(band: Term) -> State:
        return _listed(at_turn(now, then, band, subject.is_before))

    def finds_room(band: Term) -> Term:
        """Whatever part of its grown span the band has, it is inside the arena and clear of all others."""
        lowest, highest = subject.grown(now, then, band)
        between = And(takes_turn(now, then, band), lowest <= lo, lo < hi, hi <= highest)
        return Implies(between, has_room(here(band), band, lo, hi))

    def keeps_both(band: Term) -> Term:
        """The grown span has the old one and the new one, and the ends stay where they are."""
        lowest, highest = subject.grown(now, then, band)
        old = Or(is_empty(now, band), And(lowest <= now.lo[band], now.hi[band] <= highest))
        new = And(lowest <= then.lo[band], then.hi[band] <= highest)
        ends = And(Implies(band == 0, lowest == now.bottom), Implies(band == now.bands - 1, highest == now.top))
        return Implies(takes_turn(now, then, band), And(old, new, ends))

    def after(band: Term) -> State:
        s = here(band)
        return s.but(
            lo=FunctionMap(lambda b: If(b == band, then.lo[b], s.lo[b])),
            hi=FunctionMap(lambda b: If(b == band, then.hi[b], s.hi[b])),
        )

    def arrives(band: Term) -> Term:
        same = And(now.lo[band] == then.lo[band], now.hi[band] == then.hi[band])
        return Or(takes_turn(now, then, band), same, And(is_empty(now, band), is_empty(then, band)))

    return {
        "room-to-grow": Forall("band", finds_room),
        "keeps-both": Forall("band", keeps_both),
        "legal-before": Forall("band", lambda band: obeys(here(band))),
        "legal-after": Forall("band", lambda band: Implies(takes_turn(now, then, band), obeys(after(band)))),
        "arrives": Forall("band", arrives),
    }


def _listed(s: State) -> State:
    """The same spans, each looked up once if there are few."""
    if not isinstance(s.bands, int):
        return s
    return s.but(lo=[s.lo[band] for band in range(s.bands)], hi=[s.hi[band] for band in range(s.bands)])


def _kinds_of_turns(_: Subject, pair: Pair) -> Mapping[str, Term]:
    now, then = pair.now, pair.then

    def all_floats(kind: int) -> Term:
        return And(*[And(takes_turn(now, then, band), turn(now, then, band) == kind) for band in (1, 2)])

    return {
        "two floats move right": all_floats(MOVES_RIGHT),
        "two floats move left": all_floats(MOVES_LEFT),
        "two floats shrink": all_floats(SHRINKS),
        "two floats grow": all_floats(GROWS),
        "a float appears": And(is_empty(now, 1), takes_turn(now, then, 1)),
    }


def _turns_run_out(subject: Subject, pair: Pair) -> Mapping[str, Term]:
    def before(one: Term, other: Term) -> Term:
        return subject.is_before(pair.now, pair.then, one, other)

    def fewer_left(one: Term, other: Term, any_band: Term) -> Term:
        """Who is left after a later turn was left after an earlier one, at which that later turn was left as well."""
        later = And(before(one, other), takes_turn(pair.now, pair.then, other))
        stays_left = Implies(before(other, any_band), before(one, any_band))
        return Implies(later, And(stays_left, Not(before(other, other))))

    return {"fewer-left": Forall("band band band", fewer_left)}


# ----------------------------------------------------------------------------------------------------- moving pages


class Moving(NamedTuple):
    """A state, one move in it, and the span that its band is to have."""

    s: State
    band: Any
    source: Any
    target: Any
    lo: Any
    hi: Any


def _any_moving(subject: Subject) -> Moving:
    return Moving(any_state(subject), *z3.Ints("band source target new_lo new_hi"))


def _small_moving(subject: Subject, numbers: Numbers) -> Moving:
    bounds = [numbers(name, 0, 4) for name in ("new lo", "new hi")]
    return Moving(small_state(subject, numbers), 1, 3, 1, *bounds)


def _into_the_span(_: Subject, moving: Moving) -> Sequence[Term]:
    s, band, source, target, lo, hi = moving
    return (
        s.status[band, source] == LIVE,
        Not(in_use.holds(s, band, target)),
        Or(source < lo, hi <= source),
        And(lo <= target, target < hi),
    )


def _fewer_outside(subject: Subject, moving: Moving) -> Mapping[str, Term]:
    s, band, source, target, lo, hi = moving
    after = subject.moved(s, band, source, target)

    def is_outside(of: State, page: Term) -> Term:
        return And(of.status[band, page] == LIVE, Or(page < lo, hi <= page))

    return {
        "none-added": Forall("page", lambda page: Implies(is_outside(after, page), is_outside(s, page))),
        "one-gone": And(is_outside(s, source), Not(is_outside(after, source))),
    }


THEOREMS = {
    "turns-are-ordered": stated(
        "reachable", "Bands take their turns one at a time.", _both_obey, _is_order, _any_pair, _small_pair, SPANS
    ),
    "turns-find-room": stated(
        "reachable",
        "At its turn every band finds the room for its old and its new span at once; all spans on the way are legal.",
        _both_obey,
        _has_room,
        _any_pair,
        _small_pair,
        SPANS,
        _kinds_of_turns,
    ),
    "turns-run-out": stated(
        "retry-terminates",
        "Fewer turns are left after each.",
        _both_obey,
        _turns_run_out,
        _any_pair,
        _small_pair,
        SPANS,
    ),
    "moves-run-out": stated(
        "retry-terminates",
        "Each move into a new span leaves fewer live pages outside it.",
        _into_the_span,
        _fewer_outside,
        _any_moving,
        _small_moving,
        STATE,
    ),
}
