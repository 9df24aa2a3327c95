"""What is true of every step: of a state and the next."""

from spec.catalog import step
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Exists, Forall, Some
from spec.state import COMPLETED, LIVE, NONE, READ, SETTLED, WRITE, State
from spec.words import is_alive, is_retired, ordered, shows, stays_alive, writers


@step
def ledger_gated_reuse(s: State, after: State) -> Term:
    """A page that becomes live had no outstanding holder."""
    return Forall(
        "ticket band page",
        lambda ticket, band, page: Implies(
            And(s.status[band, page] != LIVE, after.status[band, page] == LIVE), s.held[ticket, band, page] == NONE
        ),
    )


@step
def holdings_kept(s: State, after: State) -> Term:
    """An entry leaves the ledger, or weakens, only when its own ticket retires, a transfer's only on completion; a
    ticket retires once."""
    return And(
        Forall(
            "ticket band page",
            lambda ticket, band, page: Or(
                after.held[ticket, band, page] >= s.held[ticket, band, page],
                And(
                    Not(is_retired(s, ticket)),
                    If(s.is_transfer[ticket], after.ending[ticket] == COMPLETED, is_retired(after, ticket)),
                ),
            ),
        ),
        Forall(
            "ticket",
            lambda ticket: And(
                Implies(is_retired(s, ticket), after.ending[ticket] == s.ending[ticket]),
                Implies(
                    s.is_transfer[ticket],
                    Or(after.ending[ticket] == s.ending[ticket], after.ending[ticket] == COMPLETED),
                ),
            ),
        ),
    )


@step
def held_bytes_frozen(s: State, after: State) -> Term:
    """The bytes of a held page change only under a writer that holds it and is ordered with the holder."""
    return Forall(
        "ticket band page",
        lambda ticket, band, page: Implies(
            And(s.held[ticket, band, page] != NONE, after.bytes[band, page] != s.bytes[band, page]),
            Exists(
                "ticket",
                lambda writer: And(
                    s.held[writer, band, page] == WRITE, Or(writer == ticket, ordered(s, writer, ticket))
                ),
            ),
        ),
    )


@step
def sole_writer(s: State, after: State) -> Term:
    """A page is newly held for writing only under a sole reference."""
    return Forall(
        "ticket band page",
        lambda ticket, band, page: Implies(
            And(s.held[ticket, band, page] != WRITE, after.held[ticket, band, page] == WRITE),
            s.refs[band, s.vid_at[band, page]] == 1,
        ),
    )


@step
def references_one_by_one(s: State, after: State) -> Term:
    """No action gives or takes more than one reference to a virtual page."""
    return Forall(
        "band vid",
        lambda band, vid: And(
            after.refs[band, vid] <= s.refs[band, vid] + 1, s.refs[band, vid] <= after.refs[band, vid] + 1
        ),
    )


@step
def stream_work_on_record(s: State, after: State) -> Term:
    """Copies and settled work stay on the allocator's stream until it is seen to have caught up with everything."""
    return And(
        Forall(
            "ticket band page",
            lambda ticket, band, page: Implies(
                And(after.ending[ticket] == SETTLED, after.held[ticket, band, page] < s.held[ticket, band, page]),
                after.queued[band, page] >= s.held[ticket, band, page],
            ),
        ),
        Forall(
            "band vid",
            lambda band, vid: Implies(
                And(stays_alive(s, after, band, vid), after.page_of[band, vid] != s.page_of[band, vid]),
                And(
                    after.queued[band, s.page_of[band, vid]] >= READ,
                    after.queued[band, after.page_of[band, vid]] >= WRITE,
                ),
            ),
        ),
        Forall(
            "band page",
            lambda band, page: Implies(
                And(
                    s.status[band, page] != LIVE,
                    after.status[band, page] == LIVE,
                    after.bytes[band, page] != s.bytes[band, page],
                ),
                after.queued[band, page] >= WRITE,
            ),
        ),
        Forall(
            "band page band page",
            lambda band, page, other, its_page: Or(
                after.queued[band, page] >= s.queued[band, page], after.queued[other, its_page] == NONE
            ),
        ),
    )


@step
def content_kept(s: State, after: State) -> Term:
    """What a virtual page shows changes only if a ticket holds it for writing."""
    return Forall(
        "band vid",
        lambda band, vid: Implies(
            And(stays_alive(s, after, band, vid), shows(after, band, vid) != shows(s, band, vid)),
            Some(writers(s, band, s.page_of[band, vid])),
        ),
    )


@step
def gate_holds(s: State, after: State) -> Term:
    """While anybody has published an address, no virtual page changes its physical page; addresses are taken back by
    one publisher at a time."""
    return And(
        Forall(
            "publisher band vid",
            lambda who, band, vid: Implies(
                And(s.published[who], stays_alive(s, after, band, vid)),
                after.page_of[band, vid] == s.page_of[band, vid],
            ),
        ),
        Forall(
            "publisher publisher",
            lambda who, other: Implies(
                And(who != other, s.published[who], s.published[other]),
                Or(after.published[who], after.published[other]),
            ),
        ),
    )


@step
def writers_pin(s: State, after: State) -> Term:
    """A virtual page that is held for writing does not change its physical page."""
    return Forall(
        "ticket band vid",
        lambda ticket, band, vid: Implies(
            And(stays_alive(s, after, band, vid), s.held[ticket, band, s.page_of[band, vid]] == WRITE),
            after.page_of[band, vid] == s.page_of[band, vid],
        ),
    )


@step
def ids_fresh(s: State, after: State) -> Term:
    """An id is not minted again while a ticket that was given it is outstanding."""
    return Forall(
        "ticket band page vid",
        lambda ticket, band, page, vid: Implies(
            And(Not(is_alive(s, band, vid)), is_alive(after, band, vid), s.held[ticket, band, page] != NONE),
            s.name[ticket, band, page] != vid,
        ),
    )
