"""From a header and a snapshot to a judged arena, and what is wrong with them."""

from collections.abc import Iterator, Sequence
from typing import Any

from events.records import Header, Snapshot
from spec.catalog import INVARIANTS, Property
from spec.concrete import Domains
from spec.judge.arena import JudgedArena
from spec.judge.order import order_problem
from spec.judge.tables import Writes
from spec.ranges import universe
from spec.state import LIVE, READ, WITHHELD, WRITE

MODES = {"read": READ, "write": WRITE}


def header_problem(header: Header) -> str | None:
    """What is wrong with a header, before any state is looked at."""
    names = [band.name for band in header.bands]
    if len(set(names)) < len(names):
        return f"two bands have the same name in {names}"
    if header.base > header.capacity:
        return f"the arena begins at byte {header.base}, after its end at byte {header.capacity}"
    return None


def snapshot_problem(header: Header, snapshot: Snapshot) -> str | None:
    """What makes a snapshot unreadable under this header; illegal states are for the invariants to find."""
    if len(snapshot.bands) != len(header.bands):
        return f"the snapshot has {len(snapshot.bands)} bands, the header {len(header.bands)}"
    for band, its in zip(header.bands, snapshot.bands, strict=True):
        if not len(its.pages) == len(its.ids) == len(its.references):
            return (
                f"band {band.name}: {len(its.pages)} live pages, {len(its.ids)} ids and {len(its.references)} counts "
                "of references should be equally many"
            )
        for what, listed in (
            ("page with its id", list(zip(its.pages, its.ids, strict=True))),
            ("withheld page", its.withheld),
            ("queued page", its.queued_read + its.queued_write),
        ):
            if _has_twice(listed):
                return f"band {band.name}: a {what} is listed twice"
    for ticket in snapshot.tickets:
        if any(entry.band >= len(header.bands) for entry in ticket.entries):
            return f"ticket {ticket.ticket} holds a page of a band that the chain does not have"
        if _has_twice([(entry.band, entry.page) for entry in ticket.entries]):
            return f"ticket {ticket.ticket} holds a page twice"
    if _has_twice(snapshot.publishers):
        return "a publisher is listed twice"
    return order_problem(snapshot.tickets, snapshot.streams, snapshot.next_ticket)


def _has_twice(listed: Sequence[Any]) -> bool:
    return len(set(listed)) < len(listed)


def opened(header: Header, snapshot: Snapshot) -> JudgedArena:
    """The arena in the state of the snapshot; its pages hold 0, and so does what was last written to them."""
    s = JudgedArena(header)
    fields: dict[str, Writes] = {
        name: Writes() for name in ("lo", "hi", "status", "page_of", "vid_at", "refs", "queued", "published")
    }
    status, page_of, vid_at, refs = (fields[name] for name in ("status", "page_of", "vid_at", "refs"))
    for band, its in enumerate(snapshot.bands):
        fields["lo"][band], fields["hi"][band] = its.lo, its.hi
        for page, vid, references in zip(its.pages, its.ids, its.references, strict=True):
            at, named = (band, page), (band, vid)
            status[at] = LIVE
            vid_at[at] = vid
            page_of[named] = page
            refs[named] = references
        for pages, field, value in (
            (its.withheld, "status", WITHHELD),
            (its.queued_read, "queued", READ),
            (its.queued_write, "queued", WRITE),
        ):
            for page in pages:
                fields[field][band, page] = value
    for who in snapshot.publishers:
        fields["published"][who] = True
    fields["held"], fields["name"] = Writes(), Writes()
    order = s.order
    order.next_ticket = snapshot.next_ticket
    order.tails = {stream: set(tail) for stream, tail in snapshot.streams.items() if tail}
    for ticket in snapshot.tickets:
        order.enter(ticket.ticket, ticket.user, ticket.stream, set(ticket.after))
        for entry in ticket.entries:
            fields["held"][ticket.ticket, entry.band, entry.page] = MODES[entry.mode]
            fields["name"][ticket.ticket, entry.band, entry.page] = entry.id
    s.apply(s.but(**fields))
    return s


def broken_invariants(s: JudgedArena) -> Iterator[Property]:
    """The invariants that do not hold in this state."""
    with universe(Domains({"band": range(s.bands)})):
        for invariant in INVARIANTS.values():
            if invariant.holds(s) is not True:
                yield invariant
