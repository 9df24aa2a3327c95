"""What is promised of admission, exactly: of an arena, of what was asked of it, and of what was decided.

A layout is a state of which only the spans are looked at. These formulas are printed and run on plain values. No one
proof is of a whole of them: the theorems of `properties.admission` are the links of which they are made.
"""

from collections.abc import Callable, Mapping

from spec.admission.layouts import is_legal
from spec.admission.maps import Remembers
from spec.admission.refusals import emptied, evicted, released
from spec.admission.relayout import at_turn, grown, takes_turn
from spec.admission.steps import RELAYOUT, settled, stays
from spec.counts import adds_up, is_live, live_pages
from spec.logic import And, If, Implies, Not, Term
from spec.ranges import Count, Exists, Forall, Total, Where
from spec.ranks import ranks_agree
from spec.state import Field, State
from spec.words import clear_of_others, in_arena, in_span, in_use, is_retired

DECISION: Mapping[str, Field] = {
    "demand": Field("band", "count", "how many pages of each band are asked for"),
    "may_settle": Field("", "tickets", "the tickets that may be settled, in the order in which they should be"),
    "is_admitted": Field("", "bool", "the demand is met"),
    "step": Field("", "step", "by which step: 1 in place, 2 compact the ends, 3 relayout"),
    "count": Field("", "count", "how many of these tickets are settled first"),
    "spans": Field("", "layout", "the spans to which the plan leads"),
    "is_refused": Field("", "bool", "the demand is not met"),
    "says_never": Field("", "bool", "the refusal says: never"),
    "says_after_release": Field("", "bool", "the refusal says: once those that it names are gone"),
    "waits_for": Field("", "tickets", "the tickets that it then names"),
    "leaving": Field("", "publishers", "those it then names who have published addresses"),
    "says_evict": Field("", "bool", "the refusal says: once pages are given up"),
    "evict": Field(
        "band", "count", "how many live pages of a band it then names; less than none if no count is enough"
    ),
}
"""What was asked and decided."""


# ------------------------------------------------------------------------------------------------ words about layouts


def used(s: State, band: Term) -> Term:
    """How many pages of the band are in use."""
    return Count("page", lambda page: in_use.holds(s, band, page))


def asked(s: State, step: Term, demand: Term) -> State:
    """What each band needs, and what must stay, if the demand is to be met by the step."""
    return s.but(
        need=Remembers(lambda band: used(s, band) + demand[band]),
        fixed=Remembers(lambda band, page: stays(s, step, band, page)),
    )


def solves(case: State, layout: State) -> Term:
    """The layout is legal, keeps what must stay, and gives every band what it needs."""
    return is_legal(layout.but(need=case.need, fixed=case.fixed))


def is_feasible(case: State) -> Term:
    """Some layout solves it."""
    return Exists("layout", lambda layout: solves(case, layout))


def first(tickets: Term, count: Term) -> Term:
    """The first so many of some tickets."""
    return tickets[:count]


def moved(s: State, layout: State) -> Term:
    """The bytes of the live pages that the layout's spans leave outside, all of which must move."""
    return Total(
        "band page",
        lambda band, page: If(
            And(is_live(s, band, page), Not(in_span(layout, band, page))),
            s.address[band, page + 1] - s.address[band, page],
            0,
        ),
    )


def grown_lo(now: State, then: State, band: Term) -> Term:
    """The first page of the span that has both the old one and the new one."""
    return grown(now, then, band)[0]


def grown_hi(now: State, then: State, band: Term) -> Term:
    """The page after its last."""
    return grown(now, then, band)[1]


def finds_room(now: State, then: State, band: Term) -> Term:
    """When its turn comes, the band has room for its old and its new span at once."""
    lo, hi, here = grown_lo(now, then, band), grown_hi(now, then, band), at_turn(now, then, band)
    return And(in_arena(here, band, lo, hi), clear_of_others(here, band, lo, hi))


# ----------------------------------------------------------------------------------------------- words about refusals


def when_empty(s: State, demand: Term) -> State:
    """What each band needs in an empty arena; nothing must stay."""
    return emptied(s, demand)


def when_all_are_gone(s: State, demand: Term) -> State:
    """What each band needs once nobody holds anything or has published an address; nothing must stay then."""
    return released(s, Remembers(lambda band: live_pages(s, band)), demand)


def when_given_up(s: State, demand: Term, which: Term, count: Term) -> State:
    """The same, once so many live pages of one band are given up besides."""
    return evicted(s, Remembers(lambda band: live_pages(s, band)), demand, which, count)


def without(s: State, tickets: Term, publishers: Term) -> State:
    """Once these tickets have retired, one after the other, and these publishers have left."""
    after = settled(s, tickets)
    for who in publishers:
        after = after.but(published=after.published.set(who, False))
    return after


def is_met_without(s: State, tickets: Term, publishers: Term, demand: Term) -> Term:
    """Once they are gone the demand is feasible, if all that is not pinned may move."""
    return is_feasible(asked(without(s, tickets, publishers), RELAYOUT, demand))


def is_among(ticket: Term, tickets: Term) -> Term:
    """The ticket is one of them."""
    return ticket in tickets


def all_but(ticket: Term, tickets: Term) -> Term:
    """All of them but this one."""
    return tuple(other for other in tickets if other != ticket)


def pages_left(s: State) -> Term:
    """How many pages are live."""
    return Count("band page", lambda band, page: is_live(s, band, page))


def tickets_left(s: State) -> Term:
    """How many tickets are outstanding."""
    return Count("ticket", lambda ticket: Not(is_retired(s, ticket)))


def publishers_left(s: State) -> Term:
    """How many have published addresses."""
    return Count("publisher", lambda who: s.published[who])


def left(s: State) -> Term:
    """What a retry may still take away."""
    return pages_left(s) + tickets_left(s) + publishers_left(s)


# ---------------------------------------------------------------------------------------------------- what is promised


def admission_sound(now: State, d: State) -> Term:
    """What is admitted can be done: the plan's spans solve it."""
    case = asked(settled(now, first(d.may_settle, d.count)), d.step, d.demand)
    return Where(d.is_admitted, lambda: solves(case, d.spans))


def admission_complete(now: State, d: State) -> Term:
    """What is refused cannot be done: whatever is settled and whatever moves, no layout solves it."""
    case = asked(settled(now, d.may_settle), RELAYOUT, d.demand)
    return Where(d.is_refused, lambda: Not(is_feasible(case)))


def lowest_step(now: State, d: State) -> Term:
    """No lower step would do, whatever is settled; nor would the step with fewer tickets settled."""

    def no_step(lower: Term) -> Term:
        case = asked(settled(now, d.may_settle), lower, d.demand)
        return Where(lower < d.step, lambda: Not(is_feasible(case)))

    def no_count(fewer: Term) -> Term:
        case = asked(settled(now, first(d.may_settle, fewer)), d.step, d.demand)
        return Where(fewer < d.count, lambda: Not(is_feasible(case)))

    return Where(d.is_admitted, lambda: And(Forall("step", no_step), Forall("count", no_count)))


def fewest_bytes(now: State, d: State) -> Term:
    """No layout that solves it in the same step, with the same tickets settled, moves fewer bytes."""
    case = asked(settled(now, first(d.may_settle, d.count)), d.step, d.demand)

    def no_better(layout: State) -> Term:
        return Where(solves(case, layout), lambda: moved(now, d.spans) <= moved(now, layout))

    return Where(d.is_admitted, lambda: Forall("layout", no_better))


def reachable(now: State, d: State) -> Term:
    """Every band whose span changes finds the room for it when its turn comes."""
    return Implies(
        d.is_admitted,
        Forall("band", lambda band: Implies(takes_turn(now, d.spans, band), finds_room(now, d.spans, band))),
    )


def honest_refusal(now: State, d: State) -> Term:
    """What a refusal says is the first that is so, and what it names is enough and no more than that."""

    def once_gone(tickets: Term) -> Term:
        return is_met_without(now, tickets, d.leaving, d.demand)

    def is_needed(ticket: Term) -> Term:
        return Where(is_among(ticket, d.waits_for), lambda: Not(once_gone(all_but(ticket, d.waits_for))))

    def suffices(band: Term) -> Term:
        return Where(d.evict[band] >= 0, lambda: is_feasible(when_given_up(now, d.demand, band, d.evict[band])))

    def is_least(band: Term, count: Term) -> Term:
        fewer = Implies(d.evict[band] >= 0, count < d.evict[band])
        possible = And(count <= live_pages(now, band), fewer)
        return Where(possible, lambda: Not(is_feasible(when_given_up(now, d.demand, band, count))))

    def waits() -> Term:
        return And(is_feasible(when_empty(now, d.demand)), once_gone(d.waits_for), Forall("ticket", is_needed))

    def evicts() -> Term:
        empty, gone = is_feasible(when_empty(now, d.demand)), is_feasible(when_all_are_gone(now, d.demand))
        return And(empty, Not(gone), Forall("band", suffices), Forall("band count", is_least))

    return And(
        Where(d.says_never, lambda: Not(is_feasible(when_empty(now, d.demand)))),
        Where(d.says_after_release, waits),
        Where(d.says_evict, evicts),
    )


def retry_terminates(now: State, d: State, then: State) -> Term:
    """Once what a refusal names is given up, less is left, and never less than nothing: so it comes to an end."""
    return Implies(And(d.is_refused, Not(d.says_never)), And(left(then) < left(now), left(then) >= 0))


PROMISES: Mapping[str, Callable[..., Term]] = {
    "admission-sound": admission_sound,
    "admission-complete": admission_complete,
    "lowest-step": lowest_step,
    "fewest-bytes": fewest_bytes,
    "reachable": reachable,
    "honest-refusal": honest_refusal,
    "retry-terminates": retry_terminates,
    "rank-agreement": ranks_agree,
    "conservation": adds_up,
}
"""By name."""
