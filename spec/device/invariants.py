"""What is true of every state of an arena and its device that can be reached."""

from spec.device.catalog import invariant
from spec.device.state import OVER, PENDING, UNISSUED
from spec.device.words import (
    clash,
    is_at,
    is_entry,
    is_given,
    is_on_stream,
    is_unhindered,
    issued,
    pending,
    renaming,
    writing,
)
from spec.invariants import initial as arena_initial
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import LIVE, OUTSTANDING, READ, WRITE, State
from spec.words import in_flight, in_use, is_alive, ledger, on_queue, referenced

# ----------------------------------------------------------------------------------- what ties the device to the ledger


@invariant
def accesses_on_record(s: State) -> Term:
    """What may still touch a page is on record: in the ledger while its ticket is outstanding, on the allocator's queue
    if the stream does it or waits for it. Of a ticket that has completed there is nothing; and tickets only read the
    page table, under names that they were given, while outstanding."""

    def on_queue(access: Term, band: Term, page: Term) -> Term:
        to_table = Or(s.is_own[access], s.way[access] == READ)
        return If(s.on_table[access], to_table, s.queued[band, page] >= s.way[access])

    def in_ledger(access: Term, user: Term, band: Term, page: Term) -> Term:
        looks_up = And(s.way[access] == READ, is_given(s, user, band, page, s.at_vid[access]), Not(s.is_transfer[user]))
        return If(s.on_table[access], looks_up, s.held[user, band, page] >= s.way[access])

    def on_record(access: Term, user: Term, band: Term, page: Term) -> Term:
        outstanding = And(Not(s.is_own[access]), s.ending[user] == OUTSTANDING)
        return Or(
            And(is_on_stream(s, access), on_queue(access, band, page)),
            And(outstanding, in_ledger(access, user, band, page)),
        )

    return Forall(pending(s), lambda access: on_record(access, s.user[access], s.in_band[access], s.at_page[access]))


@invariant
def well_formed(s: State) -> Term:
    """Whatever was issued, is held or is queued reads or writes, and does so in a band of the arena."""

    def reads_or_writes(mode: Term) -> Term:
        return Or(mode == READ, mode == WRITE)

    return And(
        Forall(
            issued(s),
            lambda access: And(s.in_band[access] >= 0, s.in_band[access] < s.bands, reads_or_writes(s.way[access])),
        ),
        Forall(ledger(s), lambda ticket, band, page: reads_or_writes(s.held[ticket, band, page])),
        Forall(on_queue(s), lambda band, page: reads_or_writes(s.queued[band, page])),
    )


@invariant
def flights_are_issued(s: State) -> Term:
    """A write in flight to a page is the one that was issued to it last, and its access is pending."""
    return Forall(
        in_flight(s),
        lambda band, page: And(
            s.phase[s.latest[band, page]] == PENDING,
            Not(s.is_own[s.latest[band, page]]),
            s.way[s.latest[band, page]] == WRITE,
            s.user[s.latest[band, page]] == s.flyer[band, page],
            is_at(s, s.latest[band, page], band, page),
        ),
    )


# -------------------------------------------------------------------------------------------------------------- order


@invariant
def over_in_order(s: State) -> Term:
    """Nothing is over while something that runs before it is pending."""
    return Forall(
        "access access",
        lambda access, other: Implies(
            And(s.phase[access] == PENDING, s.phase[other] == OVER), Not(s.ahead[access, other])
        ),
    )


@invariant
def race_free(s: State) -> Term:
    """Any two accesses to the same bytes, of which one writes, are ordered: one is over before the other is issued, or
    the device runs it before the other; so it is with the entries of the page table."""
    return Forall(
        pending(s),
        lambda access: Forall(
            pending(s),
            lambda other: Implies(clash(s, access, other), Or(s.ahead[access, other], s.ahead[other, access])),
        ),
    )


# ------------------------------------------------------------------------------------------------------ what is found


def is_write_to(s: State, access: Term, band: Term, page: Term) -> Term:
    """It is known what this access, which was issued, writes to the page."""
    return And(issued.holds(s, access), s.way[access] == WRITE, is_at(s, access, band, page), s.is_known[access])


def is_rename_to(s: State, access: Term, band: Term, vid: Term, page: Term) -> Term:
    """The access, which was issued, is the allocator's and writes this page into the entry of the virtual page."""
    return And(
        issued.holds(s, access),
        s.is_own[access],
        s.way[access] == WRITE,
        is_entry(s, access, band, vid),
        s.at_page[access] == page,
    )


@invariant
def pages_hold_the_latest(s: State) -> Term:
    """A page in use to which something was written holds what was written last, as soon as nothing there is pending."""

    def holds(band: Term, page: Term) -> Term:
        latest = s.latest[band, page]
        return And(
            is_write_to(s, latest, band, page),
            Forall(writing(s, band, page), lambda other: Or(other == latest, s.ahead[other, latest])),
            Implies(s.phase[latest] == OVER, s.memory[band, page] == s.due[latest]),
            Implies(s.status[band, page] == LIVE, s.due[latest] == s.written[band, s.vid_at[band, page]]),
        )

    return Forall(in_use(s), lambda band, page: Implies(s.filled[band, page], holds(band, page)))


@invariant
def reads_find_the_latest(s: State) -> Term:
    """A read finds what was written last before it was issued: that comes before the read, and anything else that is
    written there before that, or after the read."""

    def waits_well(access: Term, origin: Term, band: Term, page: Term) -> Term:
        return And(
            is_write_to(s, origin, band, page),
            s.due[origin] == s.due[access],
            Forall(
                writing(s, band, page),
                lambda other: Or(other == origin, s.ahead[other, origin], s.ahead[access, other]),
            ),
            Implies(s.phase[origin] == PENDING, s.ahead[origin, access]),
            Implies(s.phase[origin] == OVER, s.memory[band, page] == s.due[access]),
        )

    return Forall(
        pending(s),
        lambda access: Implies(
            And(s.way[access] == READ, Not(s.on_table[access]), s.is_known[access]),
            waits_well(access, s.origin[access], s.in_band[access], s.at_page[access]),
        ),
    )


@invariant
def copies_bring_what_they_found(s: State) -> Term:
    """A copy's write comes after its read and brings what that finds; a read that is over has found what it must."""
    return And(
        Forall(
            pending(s),
            lambda access: Implies(
                And(s.way[access] == WRITE, Not(s.on_table[access]), s.origin[access] != access),
                And(
                    issued.holds(s, s.origin[access]),
                    Implies(s.phase[s.origin[access]] == PENDING, s.ahead[s.origin[access], access]),
                    s.way[s.origin[access]] == READ,
                    Not(s.on_table[s.origin[access]]),
                    Implies(s.is_known[access], s.is_known[s.origin[access]]),
                    s.due[access] == s.due[s.origin[access]],
                ),
            ),
        ),
        Forall(
            "access",
            lambda access: Implies(
                And(s.phase[access] == OVER, s.way[access] == READ, Not(s.on_table[access]), s.is_known[access]),
                s.found[access] == s.due[access],
            ),
        ),
    )


@invariant
def entries_name_the_latest(s: State) -> Term:
    """The entry of a virtual page names its home, or the page that a ticket was given for it, as soon as nothing that
    is written there is pending."""

    def names(band: Term, vid: Term, page: Term) -> Term:
        latest = s.renamed[band, vid]
        return And(
            is_rename_to(s, latest, band, vid, page),
            Forall(renaming(s, band, vid), lambda other: Or(other == latest, s.ahead[other, latest])),
            Implies(s.phase[latest] == OVER, s.entry[band, vid] == page),
        )

    return And(
        Forall(
            referenced(s), lambda band, vid: Implies(is_alive(s, band, vid), names(band, vid, s.page_of[band, vid]))
        ),
        Forall(ledger(s), lambda ticket, band, page: names(band, s.name[ticket, band, page], page)),
    )


@invariant
def lookups_find_the_latest(s: State) -> Term:
    """A look-up finds the page that its ticket was given: that was written before, and anything else before that, or
    after the look-up."""

    def waits_well(access: Term, origin: Term, band: Term, vid: Term, page: Term) -> Term:
        return And(
            is_rename_to(s, origin, band, vid, page),
            Forall(
                renaming(s, band, vid),
                lambda other: Or(other == origin, s.ahead[other, origin], s.ahead[access, other]),
            ),
            Implies(s.phase[origin] == PENDING, s.ahead[origin, access]),
            Implies(s.phase[origin] == OVER, s.entry[band, vid] == page),
        )

    return Forall(
        pending(s),
        lambda access: Implies(
            And(s.way[access] == READ, s.on_table[access]),
            waits_well(access, s.origin[access], s.in_band[access], s.at_vid[access], s.at_page[access]),
        ),
    )


@invariant
def no_foreign_bytes(s: State) -> Term:
    """A read that may happen now finds what was last written to the virtual page when it was issued, and nothing of
    anybody else: no earlier owner, no other page, no write in part."""
    return Forall(
        pending(s),
        lambda access: Implies(
            And(
                s.way[access] == READ,
                Not(s.on_table[access]),
                s.is_known[access],
                is_unhindered(s, access),
            ),
            s.memory[s.in_band[access], s.at_page[access]] == s.due[access],
        ),
    )


@invariant
def lookups_are_true(s: State) -> Term:
    """A look-up that may happen now finds the page that its ticket was given."""
    return Forall(
        pending(s),
        lambda access: Implies(
            And(s.way[access] == READ, s.on_table[access], is_unhindered(s, access)),
            s.entry[s.in_band[access], s.at_vid[access]] == s.at_page[access],
        ),
    )


def initial(s: State) -> Term:
    """The state at the start: an arena at its start, and nothing was ever issued."""
    return And(arena_initial(s), Forall("access", lambda access: s.phase[access] == UNISSUED))
