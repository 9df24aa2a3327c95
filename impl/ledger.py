"""The ledger: the outstanding tickets, their order on the device, and the pages that each of them holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from events.records import User
from impl.chain import BandGeometry
from impl.holders import NONE, READ, WRITE, Holders, Holding
from impl.misuse import Misuse
from impl.numbers import NOTHING, Int64, is_integer
from impl.overlap import at_bytes_above

USERS: Final = ("forward", "copy", "transfer")

Extent: TypeAlias = tuple[int, int]
"""Pages lo <= page < hi; equal numbers if there is none."""

NO_EXTENT: Final[Extent] = (0, 0)


MOST_IDLE_STREAMS: Final = 256
"""Streams of which nothing is outstanding that are remembered, before all of them are forgotten."""


@dataclass(slots=True, eq=False)
class Ticket:
    """One piece of device work that has not retired."""

    number: int
    user: User
    stream: str | None
    after: set[int]
    """Tickets that run before it on the device; some of them may have retired meanwhile."""
    opened: int
    """Calls that the allocator had taken before."""
    holdings: list[Holding | None]
    """Of each band."""

    @property
    def is_transfer(self) -> bool:
        """Whether it waits for no stream, and no stream can wait for it."""
        return self.user == "transfer"


class Ledger:
    """All outstanding tickets. A ticket's entries never change but by growing, until it retires."""

    def __init__(self, bands: Sequence[Holders], geometry: Sequence[BandGeometry]) -> None:
        self.tickets: dict[int, Ticket] = {}
        self._bands, self._geometry = bands, geometry
        self.next_ticket = 0
        self.quarantined: set[int] = set()
        """Transfers that failed, of which nobody knows yet that the peer touches nothing any more."""
        self._tails: dict[str, set[int]] = {}
        # None where a ticket that retired may have been the one at an end
        self._pins: list[Extent | None] = [NO_EXTENT] * len(bands)

    # ------------------------------------------------------------------------------------------------------ tickets

    def open(self, user: User, stream: str | None, waits: Iterable[int], now: int) -> Ticket:
        """A new ticket behind everything on its stream, behind what it waits for, and behind what these are behind.

        Raises:
            Misuse: a transfer with a stream or with something to wait for, another user without a stream, or a wait
                for a transfer or for a ticket that was never opened.
        """
        try:
            waits = list(waits)
        except TypeError:
            raise Misuse("waits", waits, "not a sequence", "give the numbers of tickets") from None
        self._check_opening(user, stream, waits)
        outstanding = self.tickets.keys()
        after: set[int] = set()
        for other in waits:
            if other in outstanding:
                after |= self.tickets[other].after & outstanding
                after.add(other)
        number = self.next_ticket
        if stream is not None:
            after |= self._tails.get(stream, after) & outstanding
            self._tails[stream] = after | {number}
            if len(self._tails) > MOST_IDLE_STREAMS + len(outstanding):
                self._tails = {name: tail for name, tail in self._tails.items() if tail & {*outstanding, number}}
        ticket = Ticket(number, user, stream, after, now, [None] * len(self._bands))
        self.tickets[number] = ticket
        self.next_ticket = number + 1
        return ticket

    def _check_opening(self, user: str, stream: str | None, waits: list[int]) -> None:
        if user not in USERS:
            raise Misuse("user", user, "unknown", f"give one of {', '.join(USERS)}")
        if user == "transfer":
            if stream is not None:
                raise Misuse("stream", stream, "a transfer is on no stream", "leave it out")
            if waits:
                raise Misuse("waits", waits, "a transfer waits for nothing", "leave it out")
        elif stream is None:
            raise Misuse("stream", stream, f"a {user} needs a stream", "name the stream on which it runs")
        for other in waits:
            if not is_integer(other) or not 0 <= other < self.next_ticket:
                raise Misuse("waits", other, "was never opened", "name tickets that `open` gave")
            if other in self.tickets and self.tickets[other].is_transfer:
                raise Misuse("waits", other, "no stream can wait for a transfer", "open the ticket once it completed")

    def ticket(self, number: int) -> Ticket:
        """The outstanding ticket of that number.

        Raises:
            Misuse: there is none.
        """
        ticket = self.tickets.get(number) if is_integer(number) else None
        if ticket is None:
            known = is_integer(number) and 0 <= number < self.next_ticket
            problem = "has retired already" if known else "was never opened"
            raise Misuse("ticket", number, problem, "name a ticket that is outstanding")
        return ticket

    def by_prospect(self) -> tuple[int, ...]:
        """The outstanding tickets, oldest first; those in quarantine last, since nobody can say when they retire."""
        quarantined = self.quarantined
        if not quarantined:
            return tuple(self.tickets)
        return (*[number for number in self.tickets if number not in quarantined], *sorted(quarantined))

    def runs_before(self, other: Ticket, ticket: Ticket) -> bool:
        """Whether the device runs `other` entirely before `ticket`; a transfer is ordered with nothing."""
        return other.number in ticket.after and not ticket.is_transfer and not other.is_transfer

    def tails(self) -> dict[str, list[int]]:
        """For each stream that has any, the outstanding tickets that its next ticket will run after, rising."""
        outstanding = self.tickets.keys()
        tails = {stream: sorted(tail & outstanding) for stream, tail in self._tails.items()}
        return {stream: tail for stream, tail in tails.items() if tail}

    # ----------------------------------------------------------------------------------------------------- holdings

    def check_hold(self, ticket: Ticket, band: int, pages: Int64, mode: int) -> None:
        """See that a ticket may be given pages that are not empty in number.

        Raises:
            Misuse: another holder in conflict does not run before the ticket, or the ticket is a transfer in conflict
                with what is queued on the allocator's stream.
        """
        holders = self._bands[band]
        contested = holders.used_by_others(pages, mode, ticket.holdings[band])
        if contested.size:
            self._check_rivals(ticket, band, contested, mode)
        if ticket.is_transfer:
            self._check_queue(band, pages, mode)

    def _check_queue(self, band: int, pages: Int64, mode: int) -> None:
        """See that nothing conflicts with a transfer that is queued at its bytes, whichever pages they were then."""
        harmless = READ if mode == READ else NONE
        for other, holders in enumerate(self._bands):
            if not holders.has_queue:
                continue
            geometry = self._geometry[other]
            conflicting = pages[at_bytes_above(self._geometry[band], pages, geometry, holders.queued, harmless)]
            if conflicting.size:
                raise Misuse(
                    "ids",
                    int(conflicting[0]),
                    f"some of its bytes are still queued, as {geometry.name}, on the allocator's stream, for which a "
                    "transfer does not wait",
                    "call `drain` once that stream has caught up",
                )

    def _check_rivals(self, ticket: Ticket, band: int, contested: Int64, mode: int) -> None:
        holders = self._bands[band]
        for other in self.tickets.values():
            holding = other.holdings[band]
            if holding is None or other is ticket or self.runs_before(other, ticket):
                continue
            theirs = holding.all_pages() if mode == WRITE else holding.all_written()
            meeting = contested[holders.among(contested, theirs)]
            if meeting.size:
                raise Misuse(
                    "ids",
                    int(meeting[0]),
                    f"ticket {other.number} ({other.user}) uses this physical page and does not run before ticket "
                    f"{ticket.number}, and one of them writes",
                    "order the two by stream or by `waits`, or complete the other first",
                )

    def hold(self, ticket: Ticket, band: int, pages: Int64, mode: int) -> None:
        """Enter pages that are not empty in number under a ticket."""
        holding = self._bands[band].add(ticket.number, ticket.holdings[band], pages, mode)
        ticket.holdings[band] = holding
        pins = self._pins[band]
        if pins is not None:
            lo, hi = pins
            self._pins[band] = (min(lo, holding.lo), max(hi, holding.hi)) if lo < hi else (holding.lo, holding.hi)

    def retire(self, ticket: Ticket, *, settled: bool) -> list[tuple[int, Int64]]:
        """Strike out a ticket; each band of which it held pages, and those of them that nobody holds any more.

        What a settled ticket held is queued on the allocator's stream from now on.
        """
        del self.tickets[ticket.number]
        self.quarantined.discard(ticket.number)
        let_go = []
        for band, holding in enumerate(ticket.holdings):
            if holding is None:
                continue
            holders = self._bands[band]
            let_go.append((band, holders.remove(holding)))
            if settled:
                holders.enqueue(holding.all_pages(), READ)
                holders.enqueue(holding.all_written(), WRITE)
            pins = self._pins[band]
            if pins is not None and (holding.lo == pins[0] or holding.hi == pins[1]):
                self._pins[band] = None if holders.entries else NO_EXTENT
        return let_go

    # ---------------------------------------------------------------------------------------------- for admission

    def pins(self, band: int) -> Extent:
        """The extent of all held pages of a band."""
        pins = self._pins[band]
        if pins is None:
            pins = self._pins[band] = self.pins_without(band, frozenset())
        return pins

    def pins_without(self, band: int, retired: frozenset[int]) -> Extent:
        """The extent of the pages of a band that are held by tickets other than these."""
        held = [
            holding
            for number, ticket in self.tickets.items()
            if number not in retired and (holding := ticket.holdings[band]) is not None
        ]
        if not held:
            return NO_EXTENT
        return min([holding.lo for holding in held]), max([holding.hi for holding in held])

    def pages_held(self, band: int, number: int) -> Int64:
        """The pages of a band that an outstanding ticket holds, each once."""
        holding = self.tickets[number].holdings[band]
        return NOTHING if holding is None else holding.all_pages()

    def writing(self, band: int, pages: Int64) -> tuple[int, ...]:
        """The outstanding tickets that hold any of these pages of a band for writing, oldest first."""
        among = self._bands[band].among
        return tuple(
            number
            for number, ticket in self.tickets.items()
            if (holding := ticket.holdings[band]) is not None
            and holding.written
            and np.count_nonzero(among(pages, holding.all_written()))
        )

    def pages_written(self, band: int, number: int) -> Int64:
        """The pages of a band that an outstanding ticket holds for writing, each once."""
        holding = self.tickets[number].holdings[band]
        return NOTHING if holding is None else holding.all_written()

    def freed_by(self, band: int, batches: Sequence[Int64]) -> Int64:
        """Of the pages of a band that some tickets hold, one batch of each ticket's: those that nobody else holds."""
        return self._bands[band].freed_by(batches)

    def outstanding_pages(self, ticket: Ticket) -> tuple[int, ...]:
        """How many pages of each band a ticket holds."""
        return tuple(0 if holding is None else holding.all_pages().size for holding in ticket.holdings)
