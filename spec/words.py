"""The words in which actions and properties are written."""

from spec.logic import And, If, Not, Or, Term
from spec.ranges import Exists, Forall, Range, Some, those, union
from spec.state import FREE, NONE, OUTSTANDING, WITHHELD, WRITE, State

# ------------------------------------------------------------------------------------------------- spans and bytes


def is_empty(s: State, band: Term) -> Term:
    """The band's span has no page; if the band is a float, it has no position."""
    return s.lo[band] == s.hi[band]


def start(s: State, band: Term) -> Term:
    """The first byte of the band's span."""
    return s.address[band, s.lo[band]]


def end(s: State, band: Term) -> Term:
    """The byte after the last of the band's span."""
    return s.address[band, s.hi[band]]


def in_span(s: State, band: Term, page: Term) -> Term:
    """The page lies inside its band's span."""
    return And(s.lo[band] <= page, page < s.hi[band])


def in_arena(s: State, band: Term, lo: Term, hi: Term) -> Term:
    """Pages lo <= page < hi of the band lie inside the arena."""
    return And(s.base <= s.address[band, lo], s.address[band, hi] <= s.capacity)


@those("band")
def spans_below(s: State, band: Term, other: Term) -> Term:
    """The bands below this one whose span is not empty."""
    return And(other < band, Not(is_empty(s, other)))


@those("band")
def spans_above(s: State, band: Term, other: Term) -> Term:
    """The bands above this one whose span is not empty."""
    return And(band < other, Not(is_empty(s, other)))


def clear_of_others(s: State, band: Term, lo: Term, hi: Term) -> Term:
    """Pages lo <= page < hi of the band lie above every non-empty span below it and below every one above it."""
    return And(
        Forall(spans_below(s, band), lambda other: end(s, other) <= s.address[band, lo]),
        Forall(spans_above(s, band), lambda other: s.address[band, hi] <= start(s, other)),
    )


def share_bytes(s: State, band: Term, page: Term, other: Term, its_page: Term) -> Term:
    """The two pages are not clear of each other."""
    return And(
        s.address[band, page] < s.address[other, its_page + 1],
        s.address[other, its_page] < s.address[band, page + 1],
    )


# ------------------------------------------------------------------------------------------------ pages and their ids


def is_alive(s: State, band: Term, vid: Term) -> Term:
    """The virtual page has a reference."""
    return s.refs[band, vid] > 0


def stays_alive(s: State, after: State, band: Term, vid: Term) -> Term:
    """The virtual page has a reference before and after."""
    return And(is_alive(s, band, vid), is_alive(after, band, vid))


@those("band page")
def in_use(s: State, band: Term, page: Term) -> Term:
    """The pages that are live or withheld."""
    return s.status[band, page] != FREE


@those("band vid")
def referenced(s: State, band: Term, vid: Term) -> Term:
    """The virtual pages whose count of references is not zero."""
    return s.refs[band, vid] != 0


# ------------------------------------------------------------------------------------------------------- the ledger


@those("ticket")
def holders(s: State, band: Term, page: Term, ticket: Term) -> Term:
    """The tickets that hold a page."""
    return s.held[ticket, band, page] != NONE


@those("ticket")
def writers(s: State, band: Term, page: Term, ticket: Term) -> Term:
    """The tickets that hold a page for writing."""
    return s.held[ticket, band, page] == WRITE


@those("ticket")
def rivals(s: State, mode: Term, band: Term, page: Term, ticket: Term) -> Term:
    """The holders of a page in conflict with this way of using it."""
    return conflict(mode, s.held[ticket, band, page])


@those("ticket band page")
def ledger(s: State, ticket: Term, band: Term, page: Term) -> Term:
    """All that is held."""
    return s.held[ticket, band, page] != NONE


@those("ticket band page")
def entries(s: State, ticket: Term, holder: Term, band: Term, page: Term) -> Term:
    """A ticket's part of the ledger: entries of which the holder is this ticket."""
    return And(holder == ticket, s.held[holder, band, page] != NONE)


@those("band page")
def pages_held(s: State, ticket: Term, band: Term, page: Term) -> Term:
    """The pages that a ticket holds."""
    return s.held[ticket, band, page] != NONE


@those("ticket page")
def given(s: State, band: Term, vid: Term, ticket: Term, page: Term) -> Term:
    """Who was given an address by this id, and which."""
    return And(s.held[ticket, band, page] != NONE, s.name[ticket, band, page] == vid)


def is_retired(s: State, ticket: Term) -> Term:
    """The ticket has completed or was settled."""
    return s.ending[ticket] != OUTSTANDING


def runs_before(s: State, ticket: Term, other: Term) -> Term:
    """The device runs the first ticket entirely before the second; a transfer is ordered with nothing."""
    return And(s.before[ticket, other], Not(s.is_transfer[ticket]), Not(s.is_transfer[other]))


def ordered(s: State, ticket: Term, other: Term) -> Term:
    """The device runs one of the two entirely before the other."""
    return Or(runs_before(s, ticket, other), runs_before(s, other, ticket))


def conflict(mode: Term, other_mode: Term) -> Term:
    """Both use the page and one of them writes."""
    return And(mode != NONE, other_mode != NONE, Or(mode == WRITE, other_mode == WRITE))


def vacated(s: State, band: Term, page: Term) -> Term:
    """What a page becomes when its virtual page leaves."""
    return If(Some(holders(s, band, page)), WITHHELD, FREE)


def retire(s: State, ticket: Term, how: Term) -> State:
    """Remove exactly this ticket's entries; a withheld page that nobody else holds becomes free."""

    def without_the_ticket(band: Term, page: Term) -> Term:
        others = Exists(holders(s, band, page), lambda other: other != ticket)
        return If(And(s.status[band, page] == WITHHELD, Not(others)), FREE, s.status[band, page])

    return s.but(
        ending=s.ending.set(ticket, how),
        held=s.held.where(entries(s, ticket), NONE),
        status=s.status.where(pages_held(s, ticket), without_the_ticket),
    )


# ------------------------------------------------------------------------------ writes in flight, queues, publishers


@those("band page")
def in_flight(s: State, band: Term, page: Term) -> Term:
    """The pages to which a write is in flight."""
    return s.flying[band, page]


@those("band page")
def flights(s: State, ticket: Term, band: Term, page: Term) -> Term:
    """The pages to which a write of this ticket is in flight."""
    return And(s.flying[band, page], s.flyer[band, page] == ticket)


@those("band page")
def on_queue(s: State, band: Term, page: Term) -> Term:
    """The pages that the allocator's own stream may still use."""
    return s.queued[band, page] != NONE


@those("band page")
def met(s: State, ticket: Term, mode: Term, band: Term, page: Term, other: Term, its_page: Term) -> Term:
    """What is left on the allocator's stream at the bytes of a page, of whichever band, in conflict with a transfer."""
    return And(
        s.is_transfer[ticket],
        conflict(mode, s.queued[other, its_page]),
        Or(And(other == band, its_page == page), share_bytes(s, band, page, other, its_page)),
    )


@those("publisher")
def publishers(s: State, who: Term) -> Term:
    """Those who have published addresses to a peer."""
    return s.published[who]


# ---------------------------------------------------------------------------------------------------------- contents


@those("band page")
def this_page(s: State, band: Term, page: Term, other: Term, its_page: Term) -> Term:
    """Just this one."""
    return And(other == band, its_page == page)


@those("band page")
def struck(s: State, band: Term, page: Term, other: Term, its_page: Term) -> Term:
    """The other pages inside a span that a write to this one hits."""
    return And(
        Not(And(other == band, its_page == page)),
        in_span(s, other, its_page),
        share_bytes(s, band, page, other, its_page),
    )


def overwrite(s: State, pages: Range, value: Term) -> Term:
    """The bytes after a value was written to each of these pages: the same to all, or one for each, `band, page ↦ …`.

    Any other page inside a span that shares bytes with a written one shows garbage: contents are safe only because
    pages in use do not overlap.
    """
    return s.bytes.where(union(struck, s, pages), s.garbage).where(pages, value)


def shows(s: State, band: Term, vid: Term) -> Term:
    """What a reader ordered behind everything issued so far finds in a virtual page."""
    page = s.page_of[band, vid]
    return If(s.flying[band, page], s.arriving[band, page], s.bytes[band, page])
