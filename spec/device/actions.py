"""What may happen to an arena and its device: what the arena's actions issue, and what the device then does.

An action of the arena keeps its guard and its effect, to which this adds.
"""

from spec.actions import device as arena_device
from spec.actions import ledger, moving, pages
from spec.catalog import Guard
from spec.device import issuing
from spec.device.catalog import action, as_in_the_arena
from spec.device.state import OVER
from spec.device.streams import of_allocator, of_look_up, of_ticket
from spec.device.words import (
    arriving_by,
    brings,
    is_unhindered,
    own_work,
    pending,
    read_by,
    renamed_by,
    settled_work,
    struck_by,
    work_of,
    written_by,
)
from spec.logic import Not, Term
from spec.ranges import Some
from spec.state import READ, State
from spec.words import given, overwrite

UNCHANGED = (
    *("grow-low", "grow-high", "appear", "absorb-low", "absorb-high"),
    *("share", "unshare", "free", "hold", "settle", "publish", "unpublish"),
)
"""The actions of the arena to which the device adds nothing."""

for _name in UNCHANGED:
    as_in_the_arena(_name)

# ------------------------------------------------------------------------------------------------ the work of tickets


@action("ticket band page access")
class issue_read:
    """A ticket reads a page that it was given."""

    @staticmethod
    def guard(s: State, ticket: Term, band: Term, page: Term, access: Term) -> Guard:
        yield "the ticket holds the page", s.held[ticket, band, page] >= READ, "accesses-on-record"
        yield "something was written to the page since it was handed out", s.filled[band, page], "no-foreign-bytes"
        yield from of_ticket(s, issue_read.effect(s, ticket, band, page, access), ticket, access)

    @staticmethod
    def effect(s: State, ticket: Term, band: Term, page: Term, access: Term) -> State:
        return issuing.by_ticket(issuing.reading(s, access, band, page, True), ticket, access)


@action("ticket band page value access")
class issue_write:
    """A ticket writes to a page that it was given for writing."""

    @staticmethod
    def guard(s: State, ticket: Term, band: Term, page: Term, value: Term, access: Term) -> Guard:
        yield from arena_device.issue.guard(s, ticket, band, page, value)
        yield from of_ticket(s, issue_write.effect(s, ticket, band, page, value, access), ticket, access)

    @staticmethod
    def effect(s: State, ticket: Term, band: Term, page: Term, value: Term, access: Term) -> State:
        after = arena_device.issue.effect(s, ticket, band, page, value)
        return issuing.by_ticket(issuing.writing(after, access, band, page, value), ticket, access)


@action("ticket band page access")
class look_up:
    """A ticket looks up on the device where the virtual page lives for which it was given a page."""

    @staticmethod
    def guard(s: State, ticket: Term, band: Term, page: Term, access: Term) -> Guard:
        yield "the ticket holds a page of that name", s.held[ticket, band, page] >= READ, "accesses-on-record"
        yield "transfers look nothing up", Not(s.is_transfer[ticket]), "accesses-on-record"
        yield from of_look_up(s, ticket, access)

    @staticmethod
    def effect(s: State, ticket: Term, band: Term, page: Term, access: Term) -> State:
        looked = issuing.looking_up(s, access, band, s.name[ticket, band, page], page)
        return issuing.by_ticket(looked, ticket, access)


# --------------------------------------------------------------------------------------------------------- the ledger


@action("ticket")
class complete:
    """The work of a ticket is observed to be over."""

    @staticmethod
    def guard(s: State, ticket: Term) -> Guard:
        yield from ledger.complete.guard(s, ticket)
        yield "all its accesses are over", Not(Some(work_of(s, ticket))), "accesses-on-record"

    @staticmethod
    def effect(s: State, ticket: Term) -> State:
        return ledger.complete.effect(s, ticket)


@action("")
class drain:
    """The allocator's stream is observed to have caught up."""

    @staticmethod
    def guard(s: State) -> Guard:
        yield from ledger.drain.guard(s)
        yield "the stream's own accesses are over", Not(Some(own_work(s))), "accesses-on-record"
        yield "so are those of the tickets it waits for", Not(Some(settled_work(s))), "accesses-on-record"

    @staticmethod
    def effect(s: State) -> State:
        return ledger.drain.effect(s)


# ---------------------------------------------------------------------------------------- what the allocator issues


@action("band page vid access")
class allocate:
    """A hole becomes the home of a new virtual page, and the page table is told."""

    @staticmethod
    def guard(s: State, band: Term, page: Term, vid: Term, renames: Term) -> Guard:
        yield from pages.allocate.guard(s, band, page, vid)
        yield from of_allocator([s], [renames])

    @staticmethod
    def effect(s: State, band: Term, page: Term, vid: Term, renames: Term) -> State:
        after = pages.allocate.effect(s, band, page, vid).but(filled=s.filled.set((band, page), False))
        return _renamed(after, renames, band, vid, page)


@action("band page vid value access access")
class allocate_wiped:
    """A hole becomes the home of a new virtual page, over all of which the allocator's stream writes one value."""

    @staticmethod
    def guard(s: State, band: Term, page: Term, vid: Term, value: Term, wipes: Term, renames: Term) -> Guard:
        yield from pages.allocate_wiped.guard(s, band, page, vid, value)
        yield from of_allocator([s, _wiped(s, wipes, band, page, value)], [wipes, renames])

    @staticmethod
    def effect(s: State, band: Term, page: Term, vid: Term, value: Term, wipes: Term, renames: Term) -> State:
        wiped = _wiped(pages.allocate_wiped.effect(s, band, page, vid, value), wipes, band, page, value)
        return _renamed(wiped, renames, band, vid, page)


@action("band page vid vid access access access")
class fork:
    """A hole becomes the home of a new virtual page, to which the allocator's stream copies another."""

    @staticmethod
    def guard(
        s: State, band: Term, page: Term, vid: Term, original: Term, reads: Term, writes: Term, renames: Term
    ) -> Guard:
        yield from pages.fork.guard(s, band, page, vid, original)
        yield from _copy_guard(s, band, s.page_of[band, original], page, reads, writes, renames)

    @staticmethod
    def effect(
        s: State, band: Term, page: Term, vid: Term, original: Term, reads: Term, writes: Term, renames: Term
    ) -> State:
        after = pages.fork.effect(s, band, page, vid, original)
        copied = _copied(after, band, s.page_of[band, original], page, reads, writes)
        return _renamed(copied, renames, band, vid, page)


@action("band page page access access access")
class move:
    """A live page is copied by the allocator's stream into a hole of its own band, and the page table is told.

    The arena lets a page go that is held for reading, since its ticket keeps the address. A ticket that looks its
    addresses up on the device may not have got this one yet; hence a sentence more.
    """

    @staticmethod
    def guard(s: State, band: Term, source: Term, target: Term, reads: Term, writes: Term, renames: Term) -> Guard:
        yield from moving.move.guard(s, band, source, target)
        yield (
            "no outstanding ticket can still look the page up",
            Not(Some(given(s, band, s.vid_at[band, source]))),
            "race-free",
        )
        yield from _copy_guard(s, band, source, target, reads, writes, renames)

    @staticmethod
    def effect(s: State, band: Term, source: Term, target: Term, reads: Term, writes: Term, renames: Term) -> State:
        after = moving.move.effect(s, band, source, target)
        copied = _copied(after, band, source, target, reads, writes)
        return _renamed(copied, renames, band, s.vid_at[band, source], target)


def _copy_guard(s: State, band: Term, source: Term, target: Term, reads: Term, writes: Term, renames: Term) -> Guard:
    begun = issuing.by_allocator(issuing.reading(s, reads, band, source, s.filled[band, source]), reads)
    copied = _copied(s, band, source, target, reads, writes)
    yield from of_allocator([s, begun, copied], [reads, writes, renames])


def _copied(s: State, band: Term, source: Term, target: Term, reads: Term, writes: Term) -> State:
    begun = issuing.by_allocator(issuing.reading(s, reads, band, source, s.filled[band, source]), reads)
    return issuing.by_allocator(issuing.copying(begun, writes, reads, band, target), writes)


def _wiped(s: State, wipes: Term, band: Term, page: Term, value: Term) -> State:
    return issuing.by_allocator(issuing.writing(s, wipes, band, page, value), wipes)


def _renamed(s: State, renames: Term, band: Term, vid: Term, page: Term) -> State:
    return issuing.by_allocator(issuing.renaming(s, renames, band, vid, page), renames)


# ----------------------------------------------------------------------------------------------- what the device does


@action("access")
class land:
    """An access happens, and is over: a write has arrived, a read has found what was there."""

    @staticmethod
    def guard(s: State, access: Term) -> Guard:
        yield "the access is pending", pending.holds(s, access), "held-memory-frozen"
        yield "everything that runs before it is over", is_unhindered(s, access), "over-in-order"

    @staticmethod
    def effect(s: State, access: Term) -> State:
        return s.but(
            phase=s.phase.set(access, OVER),
            memory=s.memory.where(struck_by(s, access), s.garbage).where(written_by(s, access), brings(s, access)),
            found=s.found.where(read_by(s, access), s.memory[s.in_band[access], s.at_page[access]]),
            entry=s.entry.where(renamed_by(s, access), s.at_page[access]),
            flying=s.flying.where(arriving_by(s, access), False),
            bytes=overwrite(s, arriving_by(s, access), lambda band, page: s.arriving[band, page]),
        )


@action("access")
class tear:
    """A write has arrived in part, and is not over: it may stay that way for long, or for ever."""

    @staticmethod
    def guard(s: State, access: Term) -> Guard:
        yield "the write is pending", pending.holds(s, access), "held-memory-frozen"
        yield "everything that runs before the write is over", is_unhindered(s, access), "no-foreign-bytes"

    @staticmethod
    def effect(s: State, access: Term) -> State:
        return s.but(memory=s.memory.where(struck_by(s, access), s.garbage))
