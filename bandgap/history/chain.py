"""The history of what broke, as lines that a person reads from top to bottom."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from bandgap.history.calls import Calls, Told
from bandgap.history.focus import Focus, focus_of, rejected
from bandgap.history.makers import Event, Makers, Place
from bandgap.history.narrowing import said
from bandgap.history.order import Row, rows
from bandgap.phrases import numbered
from events import records as r
from spec.judge.verdict import Finding

MOST_HELD = 4
"""Pages of one ticket that are named in a table."""


@dataclass(frozen=True)
class Entry:
    """One line of a history."""

    line: int
    """Its line in the trace, from 1."""
    call: int
    """Which call it is, or is a step of, from 1; 0 for what the trace begins with."""
    says: str
    """The record, without what is of no concern."""
    bears: str
    """How it bears on what broke."""


@dataclass(frozen=True)
class History:
    """Where it broke, whom it concerns, and how it came to that."""

    line: int
    call: int
    request: str
    """The call that was being made, in words; empty if there was none."""
    event: str
    """The record at which it broke, in words; empty if there is none."""
    tickets: tuple[str, ...]
    entries: tuple[Entry, ...]
    """Oldest first; the last is where it broke."""
    calls: tuple[Told, ...] = ()
    """All of the trace, if they are few."""
    streams: tuple[Row, ...] = ()
    """The tickets that are outstanding where it broke, by streams."""


def history_of(
    records: Iterable[Any], finding: Finding | None, check: str, problem: str, otherwise: Iterable[Place] = ()
) -> History:
    """The history of a finding in these records, or of a problem that was seen after the last of them.

    Args:
        records: of the trace.
        finding: the judge's, if it was the judge who saw it.
        check: what broke.
        problem: what was seen.
        otherwise: the pages that it is about, where neither finding nor problem names any.
    """
    reading = iter(records)
    first = next(reading, None)
    focus = focus_of(finding, check, problem, first if isinstance(first, r.Header) else None)
    if not (focus.places or focus.ids or focus.tickets or focus.span):
        focus.places.update(dict.fromkeys(otherwise))
    # what a judge objects to is about what is there, and not about what was
    places = frozenset(focus.places) if finding is None else frozenset()
    makers, calls = Makers(frozenset(focus.ids), frozenset(focus.tickets), places), Calls()
    last = None
    for record in chain(() if first is None else (first,), reading):
        calls.take(record, makers.line + 1, makers.calls + 1)
        if finding is not None and makers.line + 1 >= finding.line:
            last = record
            break
        makers.take(record)
    if isinstance(last, r.End) and makers.call is not None:
        rejected(focus, makers.call.record)
        if last.outcome == "failed":
            makers.reject()
    return _at(makers, calls, focus, last, check, problem)


def _at(makers: Makers, calls: Calls, focus: Focus, last: Any, check: str, problem: str) -> History:
    """The history where these makers are; `last` is the record that is objected to, if it is one."""
    makers.settle()
    found = _Chain(makers, focus)
    entries = list(found.entries())
    line, number, header = makers.line, makers.calls, makers.header
    call = makers.call or (makers.latest if last is None else None)
    event = ""
    if last is not None:
        line, event = line + 1, said(last, header, focus)
        if isinstance(last, r.Call):
            number, call = number + 1, Event(line, number + 1, last)
    request = said(call.record, header, focus) if call is not None else ""
    if call is not None and call.line < line and all(entry.line != call.line for entry in entries):
        entries.append(Entry(call.line, call.call, request, "the call in which it breaks"))
        entries.sort(key=lambda entry: entry.line)
    ends = event or "all that was asked for is done, and then it is looked at"
    entries.append(Entry(line, number, ends, f"here {check} breaks: {plainly(problem)}"))
    told = tuple(calls.told(header, focus, set(found.concerned), makers.home))
    streams = rows(makers.openings, _holds(makers), set(found.concerned))
    return History(line, number, request, event, tuple(found.tickets()), tuple(entries), told, streams)


def _holds(makers: Makers) -> dict[int, list[str]]:
    """What each ticket holds, in words."""
    bands, found = makers.header.bands if makers.header else [], {}
    for ticket, places in makers.held.items():
        found[ticket] = [
            f"page {page:,} of {bands[band].name if band < len(bands) else f'band {band}'} "
            f"to {makers.holders[band, page][ticket].mode}"
            for band, page in islice(places, MOST_HELD)
        ]
        if len(places) > MOST_HELD:
            found[ticket].append(f"{len(places) - MOST_HELD:,} more")
    return found


def plainly(problem: str) -> str:
    """A clause of the judge's without the action and its arguments, which the record says in words.

    Two tables that differ are left out: what only one of them has is said before.
    """
    _, guard, must = problem.partition(": not so: ")
    return f"required is that {must}" if guard else problem.partition("; by the allocator it is ")[0]


class _Chain:
    """Gathers the lines that made things what they are, and says of each how it bears."""

    def __init__(self, makers: Makers, focus: Focus) -> None:
        self.makers, self.focus = makers, focus
        self.bears: dict[int, tuple[Event, dict[str, None]]] = {}
        self.concerned: dict[int, None] = dict(focus.tickets)
        ids = list(focus.ids)
        if focus.span is not None:
            self._span(*focus.span)
        for place in list(focus.places):
            self._page(place)
        for vid in ids:
            self._id(vid)
        for ticket in focus.tickets:
            self._ticket(ticket)
        if focus.gate:
            for who, event in makers.published.items():
                self._note(event, f"addresses are with {who!r} from here on, so no page may move")

    def entries(self) -> Iterator[Entry]:
        """The lines, in the order of the trace."""
        for line in sorted(self.bears):
            event, bears = self.bears[line]
            yield Entry(line, event.call, said(event.record, self.makers.header, self.focus), "; ".join(bears))

    def tickets(self) -> Iterator[str]:
        """The tickets that are concerned."""
        makers = self.makers
        for ticket in sorted(self.concerned):
            settled = makers.settled_by.get(ticket)
            opened = makers.opened.get(ticket) or (settled[0] if settled else None)
            over = makers.retired.get(ticket)
            if opened is None:
                yield f"ticket {ticket}, of which nothing is known here"
            elif settled is not None:
                yield f"ticket {ticket}, {_user(opened, ticket)}, settled in line {settled[1].line:,}"
            elif over is not None:
                yield f"ticket {ticket}, {_user(opened, ticket)}, over since line {over.line:,}"
            else:
                yield f"ticket {ticket}, {_user(opened, ticket)}, outstanding since line {opened.line:,}"

    def _note(self, event: Event, bears: str) -> None:
        self.bears.setdefault(event.line, (event, {}))[1][bears] = None

    def _span(self, action: str, band: int, count: int) -> None:
        """What put the sides of a span, and of those in its way, where they are; what is at the side it gives up."""
        makers = self.makers
        lo, hi = makers.lo[band], makers.hi[band]
        match action:
            case "grow-low":
                gained = lo - count, lo
            case "grow-high":
                gained = hi, hi + count
            case "appear":
                (page,) = (page for _, page in self.focus.places)
                gained = page, page + 1
            case _:
                given_up = (
                    range(lo, min(lo + count, hi))
                    if action == "absorb-low"
                    else range(hi - 1, max(hi - count, lo) - 1, -1)
                )
                used = (page for page in given_up if (band, page) in makers.tenant or (band, page) in makers.released)
                self.focus.places.update(((band, page), None) for page in islice(used, 1))
                return
        self.focus.places.clear()
        self._sides(band)
        for other in self._over(band, *gained):
            self._sides(other)

    def _sides(self, band: int) -> None:
        makers = self.makers
        lo, hi = makers.lo[band], makers.hi[band]
        low, high = makers.sides[band, "lo"], makers.sides[band, "hi"]
        span = f"the span of {self._band(band)}"
        if lo >= hi:
            self._note(max(low, high, key=lambda event: event.line), f"{span} is empty from here on")
        elif low == high:
            self._note(low, f"{span} is pages {lo:,} to {hi - 1:,} from here on")
        else:
            self._note(low, f"{span} begins at page {lo:,} from here on")
            self._note(high, f"{span} ends with page {hi - 1:,} from here on")

    def _over(self, band: int, first: int, end: int) -> list[int]:
        """The bands other than this one whose spans share bytes with pages first <= page < end of it."""
        header, makers = self.makers.header, self.makers
        bands = header.bands if header else []
        begin, stop = (bands[band].origin + page * bands[band].page_bytes for page in (first, end))
        return [
            other
            for other, its in enumerate(bands)
            if other != band
            and makers.lo[other] < makers.hi[other]
            and its.origin + makers.lo[other] * its.page_bytes < stop
            and begin < its.origin + makers.hi[other] * its.page_bytes
        ]

    def _page(self, place: Place) -> None:
        makers, (_, page) = self.makers, place
        tenant = makers.tenant.get(place)
        if tenant is not None:
            self._lives((place[0], tenant))
        if place[0] in makers.lo and not makers.lo[place[0]] <= page < makers.hi[place[0]]:
            self._sides(place[0])
        holders = makers.holders.get(place, {})
        for ticket, holding in holders.items():
            self.concerned[ticket] = None
            self.focus.ids[place[0], holding.id] = None
            if ticket in makers.opened:
                self._note(makers.opened[ticket], f"ticket {ticket} is still outstanding")
            self._note(holding.event, f"ticket {ticket} holds page {page:,} from here on, to {holding.mode}")
            self._given((place[0], holding.id))
        if place in makers.released:
            event, vid = makers.released[place]
            self.focus.ids[place[0], vid] = None
            self._given((place[0], vid))
            holds = f"{numbered('ticket', sorted(holders))} still {'holds' if len(holders) == 1 else 'hold'} it"
            self._note(event, f"page {page:,} is withheld from here on, for {holds}")
        if place in makers.vacated:
            self._note(makers.vacated[place], f"page {page:,} is in no use from here on")
        if place in makers.flights:
            event = makers.flights[place]
            self.concerned[event.record.ticket] = None
            self._note(event, f"this write to page {page:,} is still in flight")
        if place in makers.queued and self.focus.stream:
            self._queued(place)

    def _queued(self, place: Place) -> None:
        makers, (_, page) = self.makers, place
        event, ticket = makers.queued[place]
        if ticket is None:
            self._note(event, f"the allocator's stream may still be at work on page {page:,}")
            return
        self.concerned[ticket] = None
        holding = makers.settled_holdings[ticket, place]
        self.focus.ids[place[0], holding.id] = None
        self._note(makers.settled_by[ticket][0], f"the work of ticket {ticket} may not be over yet")
        self._note(holding.event, f"ticket {ticket} was given page {page:,}, to {holding.mode}")
        self._note(
            event, f"the allocator's stream waits for ticket {ticket}, and with it for its work on page {page:,}"
        )

    def _given(self, vid: tuple[int, int]) -> None:
        event = self.makers.given.get(vid)
        if event is None:
            return
        self._note(event, f"id {vid[1]:,} is handed out")
        if isinstance(event.record, r.Forked):
            original = vid[0], event.record.copied[event.record.ids.index(vid[1])]
            if original in self.makers.given and original not in self.focus.ids:
                self.focus.ids[original] = None
                self._given(original)

    def _lives(self, vid: tuple[int, int]) -> None:
        """How a living id came to where it is, and what was written to it."""
        makers, (band, number) = self.makers, vid
        self.focus.ids[vid] = None
        self.focus.places[band, makers.home[vid]] = None
        self._given(vid)
        if vid in makers.moved:
            event, times = makers.moved[vid]
            often = f", the last of {times:,} moves" if times > 1 else ""
            self._note(event, f"id {number:,} lives at page {makers.home[vid]:,} from here on{often}")
        if vid in makers.written:
            self._note(makers.written[vid], f"id {number:,} ought to show this write")

    def _id(self, vid: tuple[int, int]) -> None:
        makers, (band, number) = self.makers, vid
        if vid in makers.home:
            self._page((band, makers.home[vid]))
        elif vid in makers.gone and vid not in self.focus.fresh:
            self._given(vid)
            self._note(makers.gone[vid], f"id {number:,} is gone from here on")
        for ticket, place, holding in list(makers.named_for(vid)):
            if place in self.focus.places and vid not in self.focus.fresh:
                continue  # told of the page
            self.concerned[ticket] = None
            if ticket in makers.opened:
                self._note(makers.opened[ticket], f"ticket {ticket} is still outstanding")
            self._note(
                holding.event, f"ticket {ticket} was given page {place[1]:,} for id {number:,}, to {holding.mode}"
            )

    def _ticket(self, ticket: int) -> None:
        makers = self.makers
        if ticket in makers.opened:
            self._note(makers.opened[ticket], f"ticket {ticket} begins here")
            for other in makers.openings.waits.get(ticket, ()):
                if other in makers.openings.order.after:
                    self.concerned[other] = None
                    self._note(makers.opened[other], f"ticket {ticket} waits for ticket {other}")
        if ticket in makers.retired:
            self._note(makers.retired[ticket], f"ticket {ticket} is over from here on")
        for place, event in makers.flights.items():
            if event.record.ticket == ticket:
                self.focus.places[place] = None
                self._note(event, f"this write to page {place[1]:,} is still in flight")

    def _band(self, band: int) -> str:
        header = self.makers.header
        return f"band {header.bands[band].name!r}" if header else f"band {band}"


def _user(opened: Event, ticket: int) -> str:
    record = opened.record
    if isinstance(record, r.Snapshot):
        record = next(each for each in record.tickets if each.ticket == ticket)
    place = f" on stream {record.stream!r}" if record.stream is not None else ""
    return f"a {record.user}{place}"
