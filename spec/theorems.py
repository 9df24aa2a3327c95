"""What follows from the invariants: true of every state in which they are."""

from spec.catalog import theorem
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import FREE, LIVE, NONE, State
from spec.words import is_alive, share_bytes


@theorem
def no_overlap(s: State) -> Term:
    """No two pages in use share a byte, whatever their bands and sizes."""
    return Forall(
        "band page band page",
        lambda band, page, other, its_page: Implies(
            And(Or(band != other, page != its_page), s.status[band, page] != FREE, s.status[other, its_page] != FREE),
            Not(share_bytes(s, band, page, other, its_page)),
        ),
    )


@theorem
def unique_ids(s: State) -> Term:
    """No id names two live pages of a band."""
    return Forall(
        "band page page",
        lambda band, page, other: Implies(
            And(
                s.status[band, page] == LIVE,
                s.status[band, other] == LIVE,
                s.vid_at[band, page] == s.vid_at[band, other],
            ),
            page == other,
        ),
    )


@theorem
def handout_is_unused(s: State) -> Term:
    """A free page is held by nobody, awaits no write and is no virtual page's home."""
    return Forall(
        "band page ticket vid",
        lambda band, page, ticket, vid: Implies(
            s.status[band, page] == FREE,
            And(
                s.held[ticket, band, page] == NONE,
                Not(s.flying[band, page]),
                Not(And(is_alive(s, band, vid), s.page_of[band, vid] == page)),
            ),
        ),
    )
