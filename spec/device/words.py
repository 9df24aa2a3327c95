"""The words in which the device's actions and properties are written."""

from spec.device.state import OVER, PENDING
from spec.logic import And, If, Not, Or, Term
from spec.ranges import Forall, those
from spec.state import NONE, SETTLED, WRITE, State
from spec.words import conflict, runs_before, share_bytes

# ---------------------------------------------------------------------------------------------------------- accesses


@those("access")
def issued(s: State, access: Term) -> Term:
    """The accesses that were issued, be they over or not."""
    return Or(s.phase[access] == PENDING, s.phase[access] == OVER)


@those("access")
def pending(s: State, access: Term) -> Term:
    """The accesses that may touch their bytes from now on."""
    return s.phase[access] == PENDING


@those("access")
def own_work(s: State, access: Term) -> Term:
    """The pending accesses of the allocator's own stream."""
    return And(s.phase[access] == PENDING, s.is_own[access])


@those("access")
def settled_work(s: State, access: Term) -> Term:
    """The pending accesses of settled tickets, for which the allocator's stream waits."""
    return And(s.phase[access] == PENDING, Not(s.is_own[access]), s.ending[s.user[access]] == SETTLED)


@those("access")
def work_of(s: State, ticket: Term, access: Term) -> Term:
    """The pending accesses of a ticket."""
    return And(s.phase[access] == PENDING, Not(s.is_own[access]), s.user[access] == ticket)


@those("access")
def work_before(s: State, ticket: Term, access: Term) -> Term:
    """The pending accesses of the tickets that run before this one."""
    return And(s.phase[access] == PENDING, Not(s.is_own[access]), runs_before(s, s.user[access], ticket))


@those("access")
def work_after(s: State, ticket: Term, access: Term) -> Term:
    """The pending accesses of the tickets that run after this one."""
    return And(s.phase[access] == PENDING, Not(s.is_own[access]), runs_before(s, ticket, s.user[access]))


def is_on_stream(s: State, access: Term) -> Term:
    """The allocator's stream does the access or waits for it."""
    return Or(s.is_own[access], s.ending[s.user[access]] == SETTLED)


def is_unhindered(s: State, access: Term) -> Term:
    """Nothing that the device runs before the access is pending."""
    return Forall(pending(s), lambda other: Not(s.ahead[other, access]))


# ------------------------------------------------------------------------------------------------------------ places


def is_at(s: State, access: Term, band: Term, page: Term) -> Term:
    """The access touches this page."""
    return And(Not(s.on_table[access]), s.in_band[access] == band, s.at_page[access] == page)


def is_entry(s: State, access: Term, band: Term, vid: Term) -> Term:
    """The access touches the entry of this virtual page."""
    return And(s.on_table[access], s.in_band[access] == band, s.at_vid[access] == vid)


def touches(s: State, access: Term, band: Term, page: Term) -> Term:
    """The access touches this page, or another that shares bytes with it."""
    at = s.in_band[access], s.at_page[access]
    return And(Not(s.on_table[access]), Or(And(at[0] == band, at[1] == page), share_bytes(s, *at, band, page)))


def meet(s: State, access: Term, other: Term) -> Term:
    """Both touch the same entry of the table, or both touch a byte."""
    return If(
        s.on_table[access],
        is_entry(s, other, s.in_band[access], s.at_vid[access]),
        touches(s, other, s.in_band[access], s.at_page[access]),
    )


def clash(s: State, access: Term, other: Term) -> Term:
    """The two meet, and one of them writes."""
    return And(access != other, conflict(s.way[access], s.way[other]), meet(s, access, other))


# ----------------------------------------------------------------------------------------------- what is read or left


@those("access")
def writing(s: State, band: Term, page: Term, access: Term) -> Term:
    """The pending writes that touch a byte of this page."""
    return And(s.phase[access] == PENDING, s.way[access] == WRITE, touches(s, access, band, page))


@those("access")
def renaming(s: State, band: Term, vid: Term, access: Term) -> Term:
    """The pending writes to the entry of this virtual page."""
    return And(s.phase[access] == PENDING, s.way[access] == WRITE, is_entry(s, access, band, vid))


def brings(s: State, access: Term) -> Term:
    """What a write leaves: what is due, or, if it is a copy's, what the copy's read found."""
    return If(s.origin[access] == access, s.due[access], s.found[s.origin[access]])


@those("band page")
def written_by(s: State, access: Term, band: Term, page: Term) -> Term:
    """The page to which the access writes, if it writes to one."""
    return And(s.way[access] == WRITE, is_at(s, access, band, page))


@those("band vid")
def renamed_by(s: State, access: Term, band: Term, vid: Term) -> Term:
    """The entry to which the access writes, if it writes to one."""
    return And(s.way[access] == WRITE, is_entry(s, access, band, vid))


@those("access")
def read_by(s: State, access: Term, other: Term) -> Term:
    """The access itself, if it reads a page."""
    return And(other == access, s.way[access] != WRITE, Not(s.on_table[access]))


@those("band page")
def arriving_by(s: State, access: Term, band: Term, page: Term) -> Term:
    """The page whose write in flight the access is, if it is one."""
    return And(written_by.holds(s, access, band, page), s.flying[band, page], s.latest[band, page] == access)


@those("band page")
def struck_by(s: State, access: Term, band: Term, page: Term) -> Term:
    """The pages, wherever they are, of which the access writes a byte."""
    return And(s.way[access] == WRITE, touches(s, access, band, page))


# ------------------------------------------------------------------------------------------------------- the ledger


def is_given(s: State, ticket: Term, band: Term, page: Term, vid: Term) -> Term:
    """The ticket holds the page and was given it for this virtual page."""
    return And(s.held[ticket, band, page] != NONE, s.name[ticket, band, page] == vid)
