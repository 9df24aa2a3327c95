"""What is true of every state that can be reached."""

from spec.catalog import INVARIANTS, invariant
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Forall, Some
from spec.state import FREE, LIVE, NONE, WITHHELD, WRITE, State
from spec.words import (
    end,
    holders,
    in_arena,
    in_flight,
    in_span,
    in_use,
    is_alive,
    is_empty,
    is_retired,
    ledger,
    met,
    ordered,
    referenced,
    shows,
    start,
    writers,
)


@invariant
def span(s: State) -> Term:
    """No span ends before it begins."""
    return Forall("band", lambda band: s.lo[band] <= s.hi[band])


@invariant
def band_order(s: State) -> Term:
    """Of any two non-empty spans the lower band ends before the higher one starts."""
    return Forall(
        "band band",
        lambda low, high: Implies(
            And(low < high, Not(is_empty(s, low)), Not(is_empty(s, high))), end(s, low) <= start(s, high)
        ),
    )


@invariant
def inside_arena(s: State) -> Term:
    """Every non-empty span lies inside the arena."""
    return Forall("band", lambda band: Implies(Not(is_empty(s, band)), in_arena(s, band, s.lo[band], s.hi[band])))


@invariant
def anchored_ends(s: State) -> Term:
    """The first band begins at the bottom and the last band ends at the top, empty or not."""
    return And(s.lo[0] == s.bottom, s.hi[s.bands - 1] == s.top)


@invariant
def outside_is_free(s: State) -> Term:
    """Every page outside its band's span is free."""
    return Forall(in_use(s), lambda band, page: in_span(s, band, page))


@invariant
def ledger_wellformed(s: State) -> Term:
    """Nobody holds a free page, somebody holds a withheld one, and a writer's fellow holders are ordered with it."""
    return And(
        Forall(ledger(s), lambda ticket, band, page: s.status[band, page] != FREE),
        Forall(
            in_use(s),
            lambda band, page: Implies(s.status[band, page] == WITHHELD, Some(holders(s, band, page))),
        ),
        Forall(
            ledger(s),
            lambda ticket, band, page: Forall(
                writers(s, band, page), lambda writer: Or(writer == ticket, ordered(s, writer, ticket))
            ),
        ),
    )


@invariant
def retired_hold_nothing(s: State) -> Term:
    """A retired ticket holds no page."""
    return Forall(ledger(s), lambda ticket, band, page: Not(is_retired(s, ticket)))


@invariant
def transfers_meet_nothing(s: State) -> Term:
    """What a transfer does with a page conflicts with nothing left on the allocator's stream for any of its bytes,
    whichever page they were when that was queued."""
    return Forall(
        ledger(s), lambda ticket, band, page: Not(Some(met(s, ticket, s.held[ticket, band, page], band, page)))
    )


@invariant
def flights_are_held(s: State) -> Term:
    """A write in flight belongs to a ticket that still holds the page for writing."""
    return Forall(in_flight(s), lambda band, page: s.held[s.flyer[band, page], band, page] == WRITE)


@invariant
def holders_know_tenant(s: State) -> Term:
    """The virtual page that lives at a held address is the one for which the address was given."""
    return Forall(
        ledger(s),
        lambda ticket, band, page: Implies(
            s.status[band, page] == LIVE, s.name[ticket, band, page] == s.vid_at[band, page]
        ),
    )


@invariant
def writers_aim_true(s: State) -> Term:
    """As long as a writer's virtual page lives, it lives at the address the writer was given."""
    return Forall(
        ledger(s),
        lambda ticket, band, page: Implies(
            And(s.held[ticket, band, page] == WRITE, is_alive(s, band, s.name[ticket, band, page])),
            s.page_of[band, s.name[ticket, band, page]] == page,
        ),
    )


@invariant
def references(s: State) -> Term:
    """No virtual page has fewer than no references."""
    return Forall(referenced(s), lambda band, vid: s.refs[band, vid] > 0)


@invariant
def bijection(s: State) -> Term:
    """Live pages and living virtual pages name each other."""
    return And(
        Forall(
            in_use(s),
            lambda band, page: Implies(
                s.status[band, page] == LIVE,
                And(is_alive(s, band, s.vid_at[band, page]), s.page_of[band, s.vid_at[band, page]] == page),
            ),
        ),
        Forall(
            referenced(s),
            lambda band, vid: Implies(
                is_alive(s, band, vid),
                And(s.status[band, s.page_of[band, vid]] == LIVE, s.vid_at[band, s.page_of[band, vid]] == vid),
            ),
        ),
    )


@invariant
def content(s: State) -> Term:
    """A living virtual page shows what was last written to it, in its bytes or in the write still in flight to it."""
    return Forall(
        referenced(s),
        lambda band, vid: Implies(is_alive(s, band, vid), shows(s, band, vid) == s.written[band, vid]),
    )


@invariant
def conservation(s: State) -> Term:
    """Every page of a span is live, withheld or a hole: none is lost."""
    return Forall(in_use(s), lambda band, page: Or(s.status[band, page] == LIVE, s.status[band, page] == WITHHELD))


def initial(s: State) -> Term:
    """The state at the start: any legal layout of free pages."""
    layout = [INVARIANTS[name].holds(s) for name in ("span", "band-order", "inside-arena", "anchored-ends")]
    return And(
        *layout,
        Forall(
            "band page",
            lambda band, page: And(
                s.status[band, page] == FREE, Not(s.flying[band, page]), s.queued[band, page] == NONE
            ),
        ),
        Forall("band vid", lambda band, vid: s.refs[band, vid] == 0),
        Forall("ticket band page", lambda ticket, band, page: s.held[ticket, band, page] == NONE),
        Forall("ticket", lambda ticket: Not(is_retired(s, ticket))),
        Forall("publisher", lambda who: Not(s.published[who])),
    )
