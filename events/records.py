"""The record types of a trace.

A trace interleaves two sorts of records. *Calls* are written by the driver, or by a shim in the serving engine, before
it makes the call. *Steps* are written by the allocator: the page actions it chose, or a refusal. `End` closes a call
with what the driver was given. A header and a snapshot come first.

Units: pages are physical page numbers on their band's own grid; ids are virtual page ids of their band; a band is named
by its position in the chain (0 is the low end). Every number is a signed 63-bit integer at most, so that untrusted
input stays bounded.

A trace may lie in several files, one after the other, each of which begins with a header and a snapshot of its own.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

VERSION = 2
"""Version of the trace format, as it is written."""

READABLE = frozenset({1, VERSION})
"""Versions that a reader takes; it refuses any other. Version 1 knew neither `Lost` nor `Continued`."""

WIDEST = 2**62
MOST_TICKETS = 2**12
"""A trace follows at most so many outstanding tickets, since each is ordered with each."""
MOST_PAGES = 2**27
"""A record speaks of at most so many pages."""

Number = Annotated[int, Meta(ge=-WIDEST, le=WIDEST)]
Count = Annotated[int, Meta(ge=0, le=WIDEST)]
BandNumber = Annotated[int, Meta(ge=0, le=255)]
Numbers = Annotated[list[Number], Meta(max_length=MOST_PAGES)]
PageCount = Annotated[int, Meta(ge=0, le=MOST_PAGES)]
Name = Annotated[str, Meta(max_length=200)]
User = Literal["forward", "copy", "transfer"]
Mode = Literal["read", "write"]


class Record(Struct, frozen=True, array_like=True, gc=False, forbid_unknown_fields=True):
    """One line of a trace: a JSON array that begins with the record's tag."""


# ---------------------------------------------------------------------------------------------- header and snapshot


class Band(Record, frozen=True):
    """What a band is made of: its name, bytes per page, first byte of page 0, and tokens per page (1 for state)."""

    name: Name
    page_bytes: Annotated[int, Meta(ge=1, le=WIDEST)]
    origin: Number
    page_tokens: Annotated[int, Meta(ge=1, le=WIDEST)]


class Header(Record, frozen=True, tag="header"):
    """What never changes: the chain in address order, and the arena's bytes base <= byte < capacity."""

    version: Count
    producer: Name
    model: Name
    bands: Annotated[list[Band], Meta(min_length=1, max_length=256)]
    base: Count
    capacity: Count
    bottom: Number  # page at which the first band begins
    top: Number  # page at which the last band ends


class BandState(Record, frozen=True):
    """The pages of one band: its span lo <= page < hi, its live pages with their ids and references, the others."""

    lo: Number
    hi: Number
    pages: Numbers
    ids: Numbers
    references: Numbers
    withheld: Numbers
    queued_read: Numbers
    queued_write: Numbers


class Entry(Record, frozen=True):
    """One holding of a ticket: the physical page it was given, how, and the id it was given for."""

    band: BandNumber
    page: Number
    mode: Mode
    id: Number


class TicketState(Record, frozen=True):
    """An outstanding ticket: its user, its stream (none for a transfer), the outstanding tickets that run before it."""

    ticket: Count
    user: User
    stream: Name | None
    after: Numbers
    entries: Annotated[list[Entry], Meta(max_length=MOST_PAGES)]


class Snapshot(Record, frozen=True, tag="snapshot"):
    """Everything an allocator knows, between two calls. Contents of pages are the driver's and are left out."""

    bands: Annotated[list[BandState], Meta(min_length=1, max_length=256)]
    tickets: Annotated[list[TicketState], Meta(max_length=MOST_TICKETS)]
    streams: dict[Name, Numbers]  # for each stream, the outstanding tickets that its next ticket will run after
    next_ticket: Count  # every ticket opened later has this number or a higher one
    publishers: Annotated[list[Name], Meta(max_length=2**20)]


# ------------------------------------------------------------------------------------------------------------ calls


class Allocate(Record, frozen=True, tag="call.allocate"):
    """Ask for pages of every kind at once: how many of each band; which tickets may be settled to make room.

    `originals` may name virtual pages of each band: the first pages of the band begin as copies of them, one for one.
    Whoever holds an original for writing must be among the tickets that may be settled. With `wipe` the other pages
    begin as zeros; without it they promise no contents.
    """

    demand: Annotated[list[Count], Meta(min_length=1, max_length=256)]
    settle: Numbers = []
    originals: Annotated[list[Numbers], Meta(max_length=256)] = []
    wipe: bool = False


class Share(Record, frozen=True, tag="call.share"):
    """One more reference to each of these virtual pages."""

    band: BandNumber
    ids: Numbers


class Release(Record, frozen=True, tag="call.release"):
    """One reference less to each of these virtual pages; the last one frees the page."""

    band: BandNumber
    ids: Numbers


class Open(Record, frozen=True, tag="call.open"):
    """A new ticket: its user, its stream (none for a transfer), and the tickets it waits for."""

    ticket: Count
    user: User
    stream: Name | None = None
    waits: Numbers = []


class Hold(Record, frozen=True, tag="call.hold"):
    """Give a ticket the addresses of these virtual pages, to read or to write."""

    ticket: Count
    band: BandNumber
    mode: Mode
    ids: Numbers


class Complete(Record, frozen=True, tag="call.complete"):
    """The work of a ticket is observed to be over."""

    ticket: Count


class Settle(Record, frozen=True, tag="call.settle"):
    """Make the allocator's stream wait for a ticket."""

    ticket: Count


class Drain(Record, frozen=True, tag="call.drain"):
    """The allocator's stream is observed to have caught up."""


class Issue(Record, frozen=True, tag="call.issue"):
    """A ticket writes a value to each of these physical pages, at the addresses it was given."""

    ticket: Count
    band: BandNumber
    pages: Numbers
    values: Numbers


class Land(Record, frozen=True, tag="call.land"):
    """The writes in flight to these physical pages arrive."""

    band: BandNumber
    pages: Numbers


class Publish(Record, frozen=True, tag="call.publish"):
    """Someone gives addresses to a peer."""

    who: Name


class Unpublish(Record, frozen=True, tag="call.unpublish"):
    """Someone takes the addresses back."""

    who: Name


class Compact(Record, frozen=True, tag="call.compact"):
    """An idle moment: up to this many bytes may be moved."""

    budget: Count


Call = (
    Allocate | Share | Release | Open | Hold | Complete | Settle | Drain | Issue | Land | Publish | Unpublish | Compact
)

# ------------------------------------------------------------------------------------------------------------ steps


class GrewLow(Record, frozen=True, tag="step.grow-low"):
    """A span gained this many holes below its lowest page."""

    band: BandNumber
    count: PageCount


class GrewHigh(Record, frozen=True, tag="step.grow-high"):
    """A span gained this many holes above its highest page."""

    band: BandNumber
    count: PageCount


class AbsorbedLow(Record, frozen=True, tag="step.absorb-low"):
    """A span gave up this many holes at its low side."""

    band: BandNumber
    count: PageCount


class AbsorbedHigh(Record, frozen=True, tag="step.absorb-high"):
    """A span gave up this many holes at its high side."""

    band: BandNumber
    count: PageCount


class Appeared(Record, frozen=True, tag="step.appear"):
    """An empty float became one hole, here."""

    band: BandNumber
    page: Number


class Allocated(Record, frozen=True, tag="step.allocate"):
    """Holes became the homes of new virtual pages, pairwise."""

    band: BandNumber
    pages: Numbers
    ids: Numbers


class Wiped(Record, frozen=True, tag="step.allocate-wiped"):
    """Holes became the homes of new virtual pages, pairwise, all of whose bytes are zero."""

    band: BandNumber
    pages: Numbers
    ids: Numbers


class Forked(Record, frozen=True, tag="step.fork"):
    """Holes became the homes of new virtual pages, pairwise, each with the contents of the page copied to it."""

    band: BandNumber
    pages: Numbers
    ids: Numbers
    copied: Numbers


class Moved(Record, frozen=True, tag="step.move"):
    """Live pages were copied into holes of their band, pairwise and in this order."""

    band: BandNumber
    sources: Numbers
    targets: Numbers


class Settled(Record, frozen=True, tag="step.settle"):
    """The allocator's stream was made to wait for a ticket that the call named."""

    ticket: Count


class Refused(Record, frozen=True, tag="step.refuse"):
    """A joint demand was refused, and why.

    `never`: an empty arena could not hold it. `after-release`: it fits once these tickets retire and these publishers
    leave. `evict`: for each band the least number of pages that suffices if only that band gives way, or none if it
    cannot.
    """

    reason: Literal["never", "after-release", "evict"]
    tickets: Numbers = []
    publishers: Annotated[list[Name], Meta(max_length=2**20)] = []
    evict: Annotated[list[Count | None], Meta(max_length=256)] = []


Step = (
    GrewLow | GrewHigh | AbsorbedLow | AbsorbedHigh | Appeared | Allocated | Wiped | Forked | Moved | Settled | Refused
)

# -------------------------------------------------------------------------------------------------------------- ends


class End(Record, frozen=True, tag="end"):
    """What the driver was given: the ids of each band for an allocation that was done; nothing for other calls.

    `failed` means that the allocator rejected the call as a misuse and did nothing.
    """

    outcome: Literal["done", "refused", "failed"] = "done"
    ids: Annotated[list[Numbers], Meta(max_length=256)] = []


class Lost(Record, frozen=True, tag="lost"):
    """So many records were not written, since the writer could not keep up.

    A snapshot follows, or the end of the file: what happened in between nobody can judge.
    """

    records: Annotated[int, Meta(ge=1, le=WIDEST)]


class Close(Record, frozen=True, tag="close"):
    """The last line: how many lines came before it."""

    lines: Count


class Continued(Record, frozen=True, tag="continued"):
    """The last line of a file after which the trace goes on in another, which lies beside it.

    Says how many lines came before it, and what the other file is called.
    """

    lines: Count
    file: Name


AnyRecord = Header | Snapshot | Call | Step | End | Lost | Close | Continued
