"""The ledger: a ticket holds physical pages until it retires, once, by completion or by settling."""

from spec.catalog import Guard, action
from spec.logic import Not, Or, Term, larger
from spec.ranges import Forall, Some
from spec.state import COMPLETED, NONE, SETTLED, WRITE, State
from spec.words import (
    flights,
    is_alive,
    is_retired,
    met,
    on_queue,
    overwrite,
    pages_held,
    retire,
    rivals,
    runs_before,
)


@action("ticket band vid mode")
class hold:
    """A ticket is given the physical page of a virtual page; holding it again keeps the stronger mode."""

    @staticmethod
    def guard(s: State, ticket: Term, band: Term, vid: Term, mode: Term) -> Guard:
        page = s.page_of[band, vid]
        yield "the ticket has not retired", Not(is_retired(s, ticket)), "retired-hold-nothing"
        yield "the virtual page is alive", is_alive(s, band, vid), "ledger-wellformed"
        yield "writing needs a sole reference", Or(mode != WRITE, s.refs[band, vid] == 1), "sole-writer"
        yield (
            "where either writes, every other holder runs before this ticket",
            Forall(rivals(s, mode, band, page), lambda other: Or(other == ticket, runs_before(s, other, ticket))),
            "ledger-wellformed",
        )
        yield (
            "a transfer meets nothing left on the allocator's stream",
            Not(Some(met(s, ticket, mode, band, page))),
            "transfers-meet-nothing",
        )

    @staticmethod
    def effect(s: State, ticket: Term, band: Term, vid: Term, mode: Term) -> State:
        page = s.page_of[band, vid]
        return s.but(
            held=s.held.set((ticket, band, page), larger(s.held[ticket, band, page], mode)),
            name=s.name.set((ticket, band, page), vid),
        )


@action("ticket")
class complete:
    """The work of a ticket is observed to be over."""

    @staticmethod
    def guard(s: State, ticket: Term) -> Guard:
        yield "the ticket has not retired", Not(is_retired(s, ticket)), "holdings-kept"
        yield "all its writes have landed", Not(Some(flights(s, ticket))), "flights-are-held"

    @staticmethod
    def effect(s: State, ticket: Term) -> State:
        return retire(s, ticket, COMPLETED)


@action("ticket")
class settle:
    """The allocator's stream waits for a ticket: for whatever is ordered behind that stream its work is over."""

    @staticmethod
    def guard(s: State, ticket: Term) -> Guard:
        yield "the ticket has not retired", Not(is_retired(s, ticket)), "holdings-kept"
        yield "a stream can wait for it", Not(s.is_transfer[ticket]), "holdings-kept"

    @staticmethod
    def effect(s: State, ticket: Term) -> State:
        return retire(s, ticket, SETTLED).but(
            bytes=overwrite(s, flights(s, ticket), lambda band, page: s.arriving[band, page]),
            flying=s.flying.where(flights(s, ticket), False),
            queued=s.queued.where(
                pages_held(s, ticket),
                lambda band, page: larger(s.queued[band, page], s.held[ticket, band, page]),
            ),
        )


@action("")
class drain:
    """The allocator's stream is observed to have caught up."""

    @staticmethod
    def guard(s: State) -> Guard:
        yield from ()

    @staticmethod
    def effect(s: State) -> State:
        return s.but(queued=s.queued.where(on_queue(s), NONE))
