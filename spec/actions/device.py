"""The device: a write is issued to an address and arrives there later, whatever has become of that page."""

from spec.catalog import Guard, action
from spec.logic import Term
from spec.state import WRITE, State
from spec.words import overwrite, this_page


@action("ticket band page value")
class issue:
    """A ticket writes to an address it was given; what it means to write is the virtual page it was given."""

    @staticmethod
    def guard(s: State, ticket: Term, band: Term, page: Term, value: Term) -> Guard:
        yield "the ticket holds the page for writing", s.held[ticket, band, page] == WRITE, "flights-are-held"

    @staticmethod
    def effect(s: State, ticket: Term, band: Term, page: Term, value: Term) -> State:
        return s.but(
            flying=s.flying.set((band, page), True),
            flyer=s.flyer.set((band, page), ticket),
            arriving=s.arriving.set((band, page), value),
            written=s.written.set((band, s.name[ticket, band, page]), value),
        )


@action("band page")
class land:
    """A write in flight reaches its physical page."""

    @staticmethod
    def guard(s: State, band: Term, page: Term) -> Guard:
        yield "a write is in flight to the page", s.flying[band, page], "held-bytes-frozen"

    @staticmethod
    def effect(s: State, band: Term, page: Term) -> State:
        return s.but(
            flying=s.flying.set((band, page), False),
            bytes=overwrite(s, this_page(s, band, page), lambda *_: s.arriving[band, page]),
        )
