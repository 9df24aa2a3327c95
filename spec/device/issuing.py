"""What issuing an access leaves."""

from spec.device.state import PENDING
from spec.logic import Term
from spec.state import READ, WRITE, State


def by_ticket(s: State, ticket: Term, access: Term) -> State:
    """The access is the ticket's."""
    return s.but(is_own=s.is_own.set(access, False), user=s.user.set(access, ticket))


def by_allocator(s: State, access: Term) -> State:
    """The access is the allocator's own."""
    return s.but(is_own=s.is_own.set(access, True))


def reading(s: State, access: Term, band: Term, page: Term, is_known: Term) -> State:
    """The access reads a page, and must find what was written to it last, if that is known."""
    origin = s.latest[band, page]
    return _on_page(s, access, READ, band, page).but(
        origin=s.origin.set(access, origin),
        due=s.due.set(access, s.due[origin]),
        is_known=s.is_known.set(access, is_known),
    )


def writing(s: State, access: Term, band: Term, page: Term, value: Term) -> State:
    """The access writes a value to a page."""
    return _to_page(s, access, band, page).but(
        origin=s.origin.set(access, access),
        due=s.due.set(access, value),
        is_known=s.is_known.set(access, True),
        filled=s.filled.set((band, page), True),
    )


def copying(s: State, access: Term, read: Term, band: Term, page: Term) -> State:
    """The access writes to a page what a read, which was issued before, finds."""
    return _to_page(s, access, band, page).but(
        origin=s.origin.set(access, read),
        due=s.due.set(access, s.due[read]),
        is_known=s.is_known.set(access, s.is_known[read]),
        filled=s.filled.set((band, page), s.is_known[read]),
    )


def looking_up(s: State, access: Term, band: Term, vid: Term, page: Term) -> State:
    """The access reads the entry of a virtual page, and must find this page there."""
    return _on_table(s, access, READ, band, vid, page).but(origin=s.origin.set(access, s.renamed[band, vid]))


def renaming(s: State, access: Term, band: Term, vid: Term, page: Term) -> State:
    """The access writes a page into the entry of a virtual page."""
    return _on_table(s, access, WRITE, band, vid, page).but(renamed=s.renamed.set((band, vid), access))


def _to_page(s: State, access: Term, band: Term, page: Term) -> State:
    return _on_page(s, access, WRITE, band, page).but(latest=s.latest.set((band, page), access))


def _on_page(s: State, access: Term, way: Term, band: Term, page: Term) -> State:
    return _issued(s, access, way, band, page).but(on_table=s.on_table.set(access, False))


def _on_table(s: State, access: Term, way: Term, band: Term, vid: Term, page: Term) -> State:
    return _issued(s, access, way, band, page).but(
        on_table=s.on_table.set(access, True), at_vid=s.at_vid.set(access, vid)
    )


def _issued(s: State, access: Term, way: Term, band: Term, page: Term) -> State:
    return s.but(
        phase=s.phase.set(access, PENDING),
        way=s.way.set(access, way),
        in_band=s.in_band.set(access, band),
        at_page=s.at_page.set(access, page),
    )
