"""Watches a judge read a trace, and tells what changes: pages, spans and tickets."""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from events import records as r
from spec.judge.arena import JudgedArena
from spec.judge.judge import Judge
from spec.judge.verdict import Finding
from spec.state import LIVE, WITHHELD

Place = tuple[int, int]
"""A band and a page of it."""

Span = tuple[int, int]
"""The pages lo <= page < hi."""

EMPTY: Span = (0, 0)


class Look(IntEnum):
    """What bytes of a band are; the rest of the arena is gap."""

    LIVE = 0
    HELD = 1
    WITHHELD = 2
    HOLE = 3


LOOKS = tuple(Look)


class Seen(NamedTuple):
    """A page in use: how, the id that lives there or did, and the first ticket that holds it (-1 for none)."""

    look: Look
    id: int
    ticket: int


class Sink:
    """Is told what happens, in order; each of these may be left out. A line is where it happens, from 1."""

    def begin(self, line: int, header: r.Header) -> None:
        """What follows is of this arena; nothing is known of it yet."""

    def record(self, line: int, record: Any) -> None:
        """A record that is legal, before what it changes is told."""

    def page(self, line: int, place: Place, was: Seen | None, now: Seen | None) -> None:
        """A page is seen otherwise than before; not at all, where it is free."""

    def span(self, line: int, band: int, was: Span, now: Span) -> None:
        """A span is another."""

    def ticket(self, line: int, ticket: int, user: str, stream: str | None, *, begins: bool) -> None:
        """A ticket begins, or is over."""

    def close(self, line: int) -> None:
        """Nothing follows: `line` is the one after the last."""


class Watcher:
    """Takes the records of a trace in turn; what happens from line `first` on is told, and first how things stand."""

    def __init__(self, sinks: Sequence[Sink], first: int = 1) -> None:
        self.judge = Judge()
        self.sinks, self.first = sinks, first
        self.seen: dict[Place, Seen] = {}
        self.spans: dict[int, Span] = {}
        self.tickets: dict[int, tuple[str, str | None]] = {}
        self.legal = 0
        """Records that were taken and are legal."""
        self._telling = False
        self._state: JudgedArena | None = None

    @property
    def told(self) -> bool:
        """Whether there was anything to tell."""
        return self._telling

    def take(self, record: Any) -> Finding | None:
        """The next record; what is not legal changes nothing."""
        judge = self.judge
        line, state = judge.lines + 1, judge.state
        if not self._telling and line >= self.first and self._state is not None:
            self._tell_how_things_stand(line)
        places = [] if state is None else list(_touched(state, record))
        finding = judge.take(record)
        if finding is not None:
            return finding
        self.legal = line
        if self._telling:
            for sink in self.sinks:
                sink.record(line, record)
        if judge.state is not self._state:
            self._state = judge.state
            self._see_all(line)
        elif judge.state is not None:
            self._see(line, judge.state, places, record)
        return None

    def close(self, line: int | None = None) -> None:
        """Nothing follows; at this line it was not legal, if it is given."""
        last = self.legal if line is None else line - 1
        if not self._telling and self.first <= last and self._state is not None:
            self._tell_how_things_stand(last)
        if self._telling:
            for sink in self.sinks:
                sink.close(last + 1)

    def _tell_how_things_stand(self, line: int) -> None:
        header = self.judge.header
        assert header is not None  # there is a state
        self._telling = True
        for sink in self.sinks:
            sink.begin(line, header)
            for band, span in self.spans.items():
                sink.span(line, band, EMPTY, span)
            for place, now in self.seen.items():
                sink.page(line, place, None, now)
            for ticket, (user, stream) in self.tickets.items():
                sink.ticket(line, ticket, user, stream, begins=True)

    def _see_all(self, line: int) -> None:
        """Everything may be otherwise: a snapshot begins, or records were lost."""
        state = self.judge.state
        if state is None:
            for place in list(self.seen):
                self._set_page(line, place, None)
            for band in self.spans:
                self._set_span(line, band, EMPTY)
            self._set_tickets(line, {})
            return
        for band in range(state.bands):
            self._set_span(line, band, (state.lo[band], state.hi[band]))
        for place in list(state.status):
            self._set_page(line, place, _seen(state, place))
        order = state.order
        self._set_tickets(line, {ticket: (order.user[ticket], order.stream[ticket]) for ticket in order.user})

    def _see(self, line: int, state: JudgedArena, places: Iterable[Place], record: Any) -> None:
        kind = type(record)
        if kind in _OF_SPANS:
            band = record.band
            self._set_span(line, band, (state.lo[band], state.hi[band]))
            return
        for place in places:
            self._set_page(line, place, _seen(state, place))
        if kind in _OF_TICKETS:
            order, ticket = state.order, record.ticket
            if ticket not in order.user:
                self._end(line, ticket)
            elif ticket not in self.tickets:
                self._begin(line, ticket, order.user[ticket], order.stream[ticket])

    def _set_page(self, line: int, place: Place, now: Seen | None) -> None:
        was = self.seen.get(place)
        if was == now or (was and now and was[:2] == now[:2]):
            return
        if now is None:
            del self.seen[place]
        else:
            self.seen[place] = now
        if self._telling:
            for sink in self.sinks:
                sink.page(line, place, was, now)

    def _set_span(self, line: int, band: int, now: Span) -> None:
        was = self.spans.get(band, EMPTY)
        self.spans[band] = now
        if self._telling and was != now:
            for sink in self.sinks:
                sink.span(line, band, was, now)

    def _set_tickets(self, line: int, now: dict[int, tuple[str, str | None]]) -> None:
        for ticket in [ticket for ticket in self.tickets if ticket not in now]:
            self._end(line, ticket)
        for ticket, (user, stream) in now.items():
            if ticket not in self.tickets:
                self._begin(line, ticket, user, stream)

    def _begin(self, line: int, ticket: int, user: str, stream: str | None) -> None:
        self.tickets[ticket] = user, stream
        if self._telling:
            for sink in self.sinks:
                sink.ticket(line, ticket, user, stream, begins=True)

    def _end(self, line: int, ticket: int) -> None:
        if ticket not in self.tickets:
            return
        user, stream = self.tickets.pop(ticket)
        if self._telling:
            for sink in self.sinks:
                sink.ticket(line, ticket, user, stream, begins=False)


_OF_SPANS = frozenset({r.GrewLow, r.GrewHigh, r.AbsorbedLow, r.AbsorbedHigh, r.Appeared})
_OF_TICKETS = frozenset({r.Open, r.Complete, r.Settle, r.Settled})


def _touched(s: JudgedArena, record: Any) -> Iterable[Place]:
    """The pages that a record may make look otherwise, found before it takes effect."""
    match record:
        case r.Allocated() | r.Wiped() | r.Forked():
            return ((record.band, page) for page in record.pages)
        case r.Moved():
            return ((record.band, page) for page in (*record.sources, *record.targets))
        case r.Release() | r.Hold():
            band = record.band
            return ((band, s.page_of[band, vid]) for vid in record.ids if s.refs[band, vid])
        case r.Complete() | r.Settle() | r.Settled():
            pages: Iterable[Place] = s.listings["pages_held"](record.ticket)
            return pages
    return ()


def _seen(s: JudgedArena, place: Place) -> Seen | None:
    status = s.status[place]
    if status not in (LIVE, WITHHELD):
        return None
    holders = s.listings["holders"](*place)
    ticket = min(holders)[0] if holders else -1
    if status == WITHHELD:
        return Seen(Look.WITHHELD, s.name[ticket, *place] if holders else -1, ticket)
    return Seen(Look.HELD if holders else Look.LIVE, s.vid_at[place], ticket)
