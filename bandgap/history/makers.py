"""For everything that holds at a line of a trace, the line that made it so.

Nothing is judged here: the records are those that a judge has taken, up to the one that it objects to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from bandgap.history.order import Openings
from events import records as r

Place = tuple[int, int]
"""A band and a physical page of it."""

Id = tuple[int, int]
"""A band and a virtual page of it."""


@dataclass(frozen=True)
class Event:
    """A record, its line, and the number of the call that it is or belongs to; 0 before the first."""

    line: int
    call: int
    record: Any


@dataclass(frozen=True)
class Holding:
    """What a ticket was given, for which id, how, and by which line."""

    event: Event
    id: int
    mode: str


@dataclass
class Makers:
    """Takes records in turn.

    `watched` ids, tickets and places are remembered after they are gone; of others only what still holds is kept, so
    that a long trace is read in bounded memory.
    """

    watched_ids: frozenset[Id] = frozenset()
    watched_tickets: frozenset[int] = frozenset()
    watched_places: frozenset[Place] = frozenset()
    header: r.Header | None = None
    line: int = 0
    calls: int = 0
    call: Event | None = None
    """The call that has no end yet."""
    latest: Event | None = None
    """The last that has one."""
    home: dict[Id, int] = field(default_factory=dict)
    tenant: dict[Place, int] = field(default_factory=dict)
    references: dict[Id, int] = field(default_factory=dict)
    given: dict[Id, Event] = field(default_factory=dict)
    moved: dict[Id, tuple[Event, int]] = field(default_factory=dict)
    """The last move, and how many there were."""
    written: dict[Id, Event] = field(default_factory=dict)
    """The last write that was issued."""
    released: dict[Place, tuple[Event, int]] = field(default_factory=dict)
    """The release or the move that left a page withheld, and whose it was."""
    holders: dict[Place, dict[int, Holding]] = field(default_factory=dict)
    held: dict[int, dict[Place, None]] = field(default_factory=dict)
    opened: dict[int, Event] = field(default_factory=dict)
    flights: dict[Place, Event] = field(default_factory=dict)
    queued: dict[Place, tuple[Event, int | None]] = field(default_factory=dict)
    """What the stream may still do with a page: the line that queued it, and the settled ticket whose work it is."""
    settled_by: dict[int, tuple[Event, Event]] = field(default_factory=dict)
    """The opening and the settling of each ticket with queued work."""
    settled_holdings: dict[tuple[int, Place], Holding] = field(default_factory=dict)
    published: dict[str, Event] = field(default_factory=dict)
    lo: dict[int, int] = field(default_factory=dict)
    hi: dict[int, int] = field(default_factory=dict)
    sides: dict[tuple[int, str], Event] = field(default_factory=dict)
    gone: dict[Id, Event] = field(default_factory=dict)
    """The release that freed a watched id."""
    retired: dict[int, Event] = field(default_factory=dict)
    """What ended a watched ticket."""
    vacated: dict[Place, Event] = field(default_factory=dict)
    """What freed a watched place that is no longer in use."""
    openings: Openings = field(default_factory=Openings)
    """The order of outstanding tickets."""
    _pending: Event | None = None

    def reject(self) -> None:
        """The call that is being made was rejected as a misuse, and did nothing."""
        self._pending = None

    def take(self, record: Any) -> None:
        """Take one more record."""
        self.line += 1
        if isinstance(record, r.End):
            if record.outcome == "failed":
                self.reject()
            self.settle()
            self.latest, self.call = self.call, None
            return
        self.settle()
        if isinstance(record, r.Header):
            self.header = record
        elif isinstance(record, r.Snapshot):
            if not self.lo:
                self._open(Event(self.line, 0, record), record)
        elif isinstance(record, r.Lost):
            self._forget_everything()
        elif isinstance(record, r.Call):
            self.calls += 1
            self._pending = self.call = Event(self.line, self.calls, record)
        elif isinstance(record, r.Step):
            self._step(Event(self.line, self.calls, record), record)

    def named_for(self, vid: Id) -> Iterator[tuple[int, Place, Holding]]:
        """The holdings that were given for an id."""
        for place, holders in self.holders.items():
            if place[0] == vid[0]:
                yield from ((ticket, place, holding) for ticket, holding in holders.items() if holding.id == vid[1])

    # ------------------------------------------------------------------------------------------------------- calls

    def settle(self) -> None:
        """A call takes effect once it is known that it was not rejected."""
        event, self._pending = self._pending, None
        if event is None:
            return
        match event.record:
            case r.Share(band=band, ids=ids):
                for vid in ids:
                    self.references[band, vid] = self.references.get((band, vid), 0) + 1
            case r.Release(band=band, ids=ids):
                for vid in ids:
                    self._release(event, band, vid)
            case r.Open(ticket=ticket):
                self.opened[ticket] = event
                self.openings.open(event.record)
            case r.Hold(ticket=ticket, band=band, mode=mode, ids=ids):
                for vid in ids:
                    if (band, vid) in self.home:
                        self._hold(ticket, (band, self.home[band, vid]), Holding(event, vid, mode))
            case r.Complete(ticket=ticket):
                self._retire(event, ticket)
            case r.Settle(ticket=ticket):
                self._queue_work_of(event, ticket)
                self._retire(event, ticket)
            case r.Drain():
                self.queued.clear()
                self.settled_by.clear()
                self.settled_holdings.clear()
            case r.Issue(ticket=ticket, band=band, pages=pages):
                for page in pages:
                    self.flights[band, page] = event
                    if (band, page) in self.tenant:
                        self.written[band, self.tenant[band, page]] = event
            case r.Land(band=band, pages=pages):
                for page in pages:
                    self.flights.pop((band, page), None)
            case r.Publish(who=who):
                self.published.setdefault(who, event)
            case r.Unpublish(who=who):
                self.published.pop(who, None)

    def _release(self, event: Event, band: int, vid: int) -> None:
        key = band, vid
        if self.references.get(key, 0) > 1:
            self.references[key] -= 1
            return
        page = self.home.get(key)
        if page is None:
            return
        self._forget(key)
        if key in self.watched_ids:
            self.gone[key] = event
        if self.holders.get((band, page)):
            self.released[band, page] = event, vid
        else:
            self._vacate(event, (band, page))

    def _vacate(self, event: Event, place: Place) -> None:
        if place in self.watched_places:
            self.vacated[place] = event

    def _forget(self, key: Id) -> None:
        page = self.home.pop(key)
        self.tenant.pop((key[0], page), None)
        self.references.pop(key, None)
        if key not in self.watched_ids and not self.holders.get((key[0], page)):
            for table in (self.given, self.moved, self.written):
                table.pop(key, None)

    def _hold(self, ticket: int, place: Place, holding: Holding) -> None:
        before = self.holders.setdefault(place, {}).get(ticket)
        if before is None or before.mode == "read":  # the stronger mode is kept
            self.holders[place][ticket] = holding
        self.held.setdefault(ticket, {})[place] = None

    def _retire(self, event: Event, ticket: int) -> None:
        for place in self.held.pop(ticket, ()):
            holders = self.holders[place]
            holding = holders.pop(ticket)
            if place in self.flights and self.flights[place].record.ticket == ticket:
                del self.flights[place]  # settling lands what is in flight
            if not holders:
                del self.holders[place]
                if place in self.released:
                    self._forget_history((place[0], holding.id))
                    self._vacate(event, place)
                self.released.pop(place, None)
        self.openings.retire(ticket)
        opened = self.opened.pop(ticket, None)
        if ticket in self.watched_tickets:
            self.retired[ticket] = event
            if opened is not None:
                self.opened[ticket] = opened

    def _forget_history(self, key: Id) -> None:
        if key not in self.home and key not in self.watched_ids:
            for table in (self.given, self.moved, self.written):
                table.pop(key, None)

    def _queue_work_of(self, event: Event, ticket: int) -> None:
        for place in self.held.get(ticket, ()):
            self.queued[place] = event, ticket
            self.settled_holdings[ticket, place] = self.holders[place][ticket]
        if ticket in self.opened:
            self.settled_by[ticket] = self.opened[ticket], event

    # ------------------------------------------------------------------------------------------------------- steps

    def _step(self, event: Event, step: Any) -> None:
        match step:
            case r.GrewLow(band=band, count=count):
                self._side(event, band, "lo", self.lo[band] - count)
            case r.GrewHigh(band=band, count=count):
                self._side(event, band, "hi", self.hi[band] + count)
            case r.AbsorbedLow(band=band, count=count):
                self._side(event, band, "lo", self.lo[band] + count)
            case r.AbsorbedHigh(band=band, count=count):
                self._side(event, band, "hi", self.hi[band] - count)
            case r.Appeared(band=band, page=page):
                self._side(event, band, "lo", page)
                self._side(event, band, "hi", page + 1)
            case r.Allocated(band=band, pages=pages, ids=ids) | r.Wiped(band=band, pages=pages, ids=ids):
                for page, vid in zip(pages, ids, strict=False):
                    self._arrive(event, (band, page), vid, queued=isinstance(step, r.Wiped))
            case r.Forked(band=band, pages=pages, ids=ids, copied=copied):
                for page, vid, original in zip(pages, ids, copied, strict=False):
                    self._arrive(event, (band, page), vid, queued=True)
                    if (band, original) in self.written:
                        self.written[band, vid] = self.written[band, original]
                    if (band, original) in self.home:
                        self.queued[band, self.home[band, original]] = event, None
            case r.Moved(band=band, sources=sources, targets=targets):
                for source, target in zip(sources, targets, strict=False):
                    self._move(event, band, source, target)
            case r.Settled(ticket=ticket):
                self._queue_work_of(event, ticket)
                self._retire(event, ticket)

    def _side(self, event: Event, band: int, side: str, page: int) -> None:
        (self.lo if side == "lo" else self.hi)[band] = page
        self.sides[band, side] = event

    def _arrive(self, event: Event, place: Place, vid: int, *, queued: bool) -> None:
        key = place[0], vid
        self.home[key], self.tenant[place], self.references[key] = place[1], vid, 1
        self.given[key] = event
        self.gone.pop(key, None)
        self.vacated.pop(place, None)
        if queued:
            self.queued[place] = event, None

    def _move(self, event: Event, band: int, source: int, target: int) -> None:
        vid = self.tenant.pop((band, source), None)
        if vid is None:
            return
        key = band, vid
        self.home[key], self.tenant[band, target] = target, vid
        self.moved[key] = event, self.moved.get(key, (event, 0))[1] + 1
        self.queued[band, source] = self.queued[band, target] = event, None
        self.vacated.pop((band, target), None)
        if self.holders.get((band, source)):
            self.released[band, source] = event, vid
        else:
            self._vacate(event, (band, source))

    # ----------------------------------------------------------------------------------------------------- opening

    def _forget_everything(self) -> None:
        """What was known may not be so any more; the next snapshot says what is."""
        known = self.header, self.line, self.calls
        self.__init__(self.watched_ids, self.watched_tickets, self.watched_places, *known)  # type: ignore[misc]  # all other fields begin anew

    def _open(self, event: Event, snapshot: r.Snapshot) -> None:
        for band, its in enumerate(snapshot.bands):
            self._side(event, band, "lo", its.lo)
            self._side(event, band, "hi", its.hi)
            self._live(event, band, its)
            for page in (*its.queued_read, *its.queued_write):
                self.queued[band, page] = event, None
        self.openings.begin(snapshot)
        for ticket in snapshot.tickets:
            self.opened[ticket.ticket] = event
            for entry in ticket.entries:
                place = entry.band, entry.page
                self._hold(ticket.ticket, place, Holding(event, entry.id, entry.mode))
                if place not in self.tenant:
                    self.released[place] = event, entry.id
        self.published.update(dict.fromkeys(snapshot.publishers, event))

    def _live(self, event: Event, band: int, its: r.BandState) -> None:
        columns: Sequence[Sequence[int]] = its.pages, its.ids, its.references
        for page, vid, references in zip(*columns, strict=False):
            self.home[band, vid], self.tenant[band, page] = page, vid
            self.references[band, vid] = references
            self.given[band, vid] = event
