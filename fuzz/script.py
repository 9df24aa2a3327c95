"""A script: the calls of a driver with names instead of numbers, so that it can be cut, edited and made again.

Ids are named by the allocation that gave them and their place in it, tickets by the call that opened them. Physical
pages are not named at all: a driver writes to the pages that it was given.
"""

from typing import Annotated, Final, TypeAlias, get_args

from msgspec import Meta, Struct

from events.records import BandNumber, Count, Mode, Name, Number, User

MOST_CALLS = 100_000
MOST_IDS = 100_000

Label = Annotated[int, Meta(ge=0, le=2**31)]
"""Names one allocation or one opened ticket of the script."""

NEVER_OPENED = -1
"""Stands for a ticket that no call opened."""

FAR_AHEAD = 1000
"""The number of such a ticket is so far above the next one."""

TicketName = Annotated[int, Meta(ge=NEVER_OPENED, le=2**31)]
NOT_GIVEN = -1
"""Stands for an allocation where an id is one that nobody was given; its place is then the id itself."""

Id: TypeAlias = tuple[TicketName, Number]
"""The allocation, and the place in what it gave of the band."""

Ids = Annotated[list[Id], Meta(max_length=MOST_IDS)]
Tickets = Annotated[list[TicketName], Meta(max_length=4096)]


class Call(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One line of a script: a JSON array that begins with the call's name."""


class Allocate(Call, frozen=True, tag="allocate"):
    """Ask for pages of each band; these tickets may be settled, and the first pages of each band are copies of these.

    The originals are said of each band, or of none. With `wipe` the other pages begin as zeros.
    """

    label: Label
    demand: Annotated[list[Count], Meta(min_length=1, max_length=256)]
    settle: Tickets = []
    originals: Annotated[list[Ids], Meta(max_length=256)] = []
    wipe: bool = False


class Plan(Call, frozen=True, tag="plan"):
    """Ask whether a demand would be met."""

    demand: Annotated[list[Count], Meta(min_length=1, max_length=256)]
    settle: Tickets = []


class Share(Call, frozen=True, tag="share"):
    """One more reference to each."""

    band: BandNumber
    ids: Ids


class Release(Call, frozen=True, tag="release"):
    """One reference less to each."""

    band: BandNumber
    ids: Ids


class Clear(Call, frozen=True, tag="clear"):
    """Give up every reference to every page."""


class Open(Call, frozen=True, tag="open"):
    """A new ticket."""

    label: Label
    user: User
    stream: Name | None = None
    waits: Tickets = []


class Hold(Call, frozen=True, tag="hold"):
    """Give a ticket the pages of these ids."""

    ticket: TicketName
    band: BandNumber
    ids: Ids
    mode: Mode


class Issue(Call, frozen=True, tag="issue"):
    """The ticket writes a value of its own to each page that it was given to write for these ids."""

    ticket: TicketName
    band: BandNumber
    ids: Ids


class Land(Call, frozen=True, tag="land"):
    """What the ticket wrote to the pages that it was given for these ids arrives."""

    ticket: TicketName
    band: BandNumber
    ids: Ids


class Complete(Call, frozen=True, tag="complete"):
    """The work of a ticket is over; what it wrote and is still in flight lands before."""

    ticket: TicketName


class Quarantine(Call, frozen=True, tag="quarantine"):
    """A transfer failed, and its peer may still touch what it holds."""

    ticket: TicketName


class Settle(Call, frozen=True, tag="settle"):
    """The allocator's stream waits for a ticket."""

    ticket: TicketName


class Drain(Call, frozen=True, tag="drain"):
    """The allocator's stream has caught up."""


class Publish(Call, frozen=True, tag="publish"):
    """Someone gives addresses to a peer."""

    who: Name


class Unpublish(Call, frozen=True, tag="unpublish"):
    """Someone takes them back."""

    who: Name


class Compact(Call, frozen=True, tag="compact"):
    """Move up to so many bytes."""

    budget: Count


class ReleaseMemory(Call, frozen=True, tag="release-memory"):
    """Give the arena's bytes back."""


class ResumeMemory(Call, frozen=True, tag="resume-memory"):
    """Take them again."""


class Advance(Call, frozen=True, tag="advance"):
    """A simulated device does one piece of its work: which of those that could be next, by a number."""

    choice: Count


class Malformed(Call, frozen=True, tag="malformed"):
    """A call whose arguments are not even of the right type, by its name; see `fuzz.malformed`."""

    case: Name


def names_of(call: "AnyCall", band: int) -> list[Id]:
    """The ids of a band that a call names."""
    if isinstance(call, Allocate):
        return call.originals[band] if band < len(call.originals) else []
    return getattr(call, "ids", []) if getattr(call, "band", None) == band else []


AnyCall: TypeAlias = (
    Allocate
    | Plan
    | Share
    | Release
    | Clear
    | Open
    | Hold
    | Issue
    | Land
    | Complete
    | Quarantine
    | Settle
    | Drain
    | Publish
    | Unpublish
    | Compact
    | ReleaseMemory
    | ResumeMemory
    | Advance
    | Malformed
)
CALLS: Final[tuple[type[Call], ...]] = get_args(AnyCall)
Script: TypeAlias = tuple[AnyCall, ...]
