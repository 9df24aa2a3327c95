"""The slow and obvious reading of a trace: page action by page action on the enumerating state.

It shares the catalogue with the judge and nothing else. It keeps everything, copies freely and forgets nothing, and
takes a call's pages one after the other on a state of their own. Traces must stay within its small domains.
"""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from events import records as r
from spec.concrete import Addresses, Domains, small_state
from spec.ranges import universe
from spec.specification import ACTIONS, INVARIANTS
from spec.state import LIVE, OUTSTANDING, READ, WITHHELD, WRITE, State

MEMBERS: dict[str, Any] = {
    "band": range(3),
    "page": range(-2, 15),
    "vid": range(-1, 7),
    "ticket": range(-1, 17),
    "publisher": ("rdma", "nvlink"),
    "value": range(-1, 5),
    "mode": (READ, WRITE),
}
MODES = {"read": READ, "write": WRITE}

SHRINKS = (r.AbsorbedLow, r.AbsorbedHigh)
LAYS_OUT = (*SHRINKS, r.GrewLow, r.GrewHigh, r.Appeared)
ASKED_FOR: dict[type[Any], tuple[type[Any], ...]] = {
    r.Allocate: (*LAYS_OUT, r.Allocated, r.Wiped, r.Forked, r.Moved, r.Settled, r.Refused),
    r.Compact: (*LAYS_OUT, r.Moved),
    **dict.fromkeys((r.Release, r.Complete, r.Settle, r.Drain, r.Unpublish), SHRINKS),
}


STEP_TYPES = ASKED_FOR[r.Allocate]


class Lookup:
    """A map that is asked a function."""

    def __init__(self, answer: Callable[[Any], bool]) -> None:
        self.answer = answer

    def __getitem__(self, key: Any) -> bool:
        return self.answer(key)


class Illegal(Exception):
    """A record that is not legal: the check that it fails and who wrote it."""

    def __init__(self, check: str, blame: str, line: int) -> None:
        super().__init__(check, blame, line)


def enumerating() -> Any:
    """Inside, quantifiers run over the small domains."""
    return universe(Domains(MEMBERS))


@dataclass
class Reference:
    """What is known after some records."""

    lines: int = 0
    header: r.Header | None = None
    state: Any = None
    call: Any = None
    called: int = 0  # the line of the call
    misuse: str | None = None  # the check that the call fails
    steps: list[Any] = field(default_factory=list)
    users: dict[int, str] = field(default_factory=dict)  # of every ticket that there ever was
    streams: dict[int, str | None] = field(default_factory=dict)
    ahead: dict[int, set[int]] = field(default_factory=dict)  # all that run before a ticket, retired or not
    tails: dict[str, set[int]] = field(default_factory=dict)
    next_ticket: int = 0
    closed: bool = False
    continued: bool = False
    lost: bool = False

    def copied(self) -> "Reference":
        """Another that may go on differently; states are never changed, only replaced."""
        other = copy.copy(self)
        other.steps = list(self.steps)
        for name in ("users", "streams", "ahead", "tails"):
            setattr(other, name, dict(getattr(self, name)))
        if self.state is not None:
            other._put(self.state)
        return other

    def take(self, record: Any) -> None:
        """The next record; raises Illegal."""
        self.lines += 1
        if isinstance(record, r.Header | r.Snapshot | r.Lost | r.Close | r.Continued):
            self._frame(record)
        elif isinstance(record, r.End):
            self._end(record)
        elif type(record) in STEP_TYPES:
            self._step(record)
        else:
            self._call(record)

    def illegal(self, check: str, blame: str, line: int = 0) -> Illegal:
        return Illegal(check, blame, line or self.lines)

    # ------------------------------------------------------------------------------------------------------ frame

    def _frame(self, record: Any) -> None:
        if self.closed:
            raise self.illegal("trace", "trace")
        if isinstance(record, r.Lost):
            if self.state is None or self.continued:
                raise self.illegal("trace", "trace")
            self.state, self.call, self.misuse, self.lost = None, None, None, True
            self.users, self.streams, self.ahead = {}, {}, {}
            return
        if self.call is not None:
            raise self.illegal("agreement", "driver")
        if isinstance(record, r.Header) != (self.header is None or self.continued):
            raise self.illegal("trace", "trace")
        if isinstance(record, r.Header):
            if self.continued and record != self.header:
                raise self.illegal("trace", "trace")
            self.continued = False
            self._open(record)
        elif isinstance(record, r.Close | r.Continued):
            if self.state is None and not self.lost:
                raise self.illegal("trace", "trace")
            self.closed, self.continued = isinstance(record, r.Close), isinstance(record, r.Continued)
        elif self.state is None:
            self._begin(record)
        elif self._malformed(record):
            raise self.illegal("trace", "allocator")
        elif normal(record) != normal(self.snapshot()):
            raise self.illegal("agreement", "allocator")

    def _open(self, header: r.Header) -> None:
        if header.version not in {1, 2}:
            raise self.illegal("trace", "trace")
        names = [band.name for band in header.bands]
        if len(names) != len(set(names)) or header.base > header.capacity:
            raise self.illegal("trace", "allocator")
        self.header = header

    def _malformed(self, snapshot: r.Snapshot) -> bool:
        assert self.header is not None
        return len(snapshot.bands) != len(self.header.bands) or says_twice(snapshot) or not order_is_possible(snapshot)

    def _begin(self, snapshot: r.Snapshot) -> None:
        header = self.header
        assert header is not None
        if self._malformed(snapshot):
            raise self.illegal("trace", "allocator")
        fields: dict[str, dict[Any, Any]] = {
            name: {} for name in ("lo", "hi", "status", "page_of", "vid_at", "refs", "queued", "held", "name")
        }
        for band, its in enumerate(snapshot.bands):
            fields["lo"][band,], fields["hi"][band,] = its.lo, its.hi
            for page, vid, references in zip(its.pages, its.ids, its.references, strict=True):
                fields["status"][band, page] = LIVE
                fields["vid_at"][band, page], fields["page_of"][band, vid] = vid, page
                fields["refs"][band, vid] = references
            fields["status"].update(((band, page), WITHHELD) for page in its.withheld)
            fields["queued"].update(((band, page), READ) for page in its.queued_read)
            fields["queued"].update(((band, page), WRITE) for page in its.queued_write)
        for ticket in snapshot.tickets:
            self.users[ticket.ticket], self.streams[ticket.ticket] = ticket.user, ticket.stream
            self.ahead[ticket.ticket] = set(ticket.after)
            for entry in ticket.entries:
                fields["held"][ticket.ticket, entry.band, entry.page] = MODES[entry.mode]
                fields["name"][ticket.ticket, entry.band, entry.page] = entry.id
        fields["published"] = {(who,): True for who in snapshot.publishers}
        self.tails = {stream: set(tail) for stream, tail in snapshot.streams.items()}
        self.next_ticket = snapshot.next_ticket
        bands = header.bands
        constants = {
            "bands": len(bands),
            "base": header.base,
            "capacity": header.capacity,
            "bottom": header.bottom,
            "top": header.top,
            "address": Addresses([b.origin for b in bands], [b.page_bytes for b in bands]),
            "garbage": -1,
        }
        self._put(small_state(Domains(MEMBERS), {**constants, "before": {}, "is_transfer": {}}, fields))
        for name, invariant in INVARIANTS.items():
            if not invariant.holds(self.state):
                raise self.illegal(name, "allocator")

    def _put(self, state: State) -> None:
        """Keep the state, with the order of tickets that is known here."""
        self.state = state.but(
            before=Lookup(lambda pair: pair[0] in self.ahead.get(pair[1], ())),
            is_transfer=Lookup(lambda ticket: self.users.get(ticket) == "transfer"),
        )

    # ------------------------------------------------------------------------------------------------------ calls

    def _call(self, call: Any) -> None:
        if self.call is not None:
            raise self.illegal("agreement", "driver")
        if self.state is None or self.closed:
            raise self.illegal("trace", "trace")
        self.call, self.called, self.steps = call, self.lines, []
        self.misuse = self._misuse(call)
        if self.misuse is None:
            if isinstance(call, r.Open):
                self._opened(call)
            else:
                state = self._after(self._actions(call))
                self.misuse, self.state = (state, self.state) if isinstance(state, str) else (None, state)

    def _misuse(self, call: Any) -> str | None:
        protects: dict[Any, str] = {r.Hold: "retired-hold-nothing", r.Issue: "flights-are-held"}
        retired = protects.get(type(call), "holdings-kept")
        if isinstance(call, r.Open):
            return None if self._may_open(call) else "agreement"
        if isinstance(call, r.Issue) and (len(call.pages) != len(call.values) or -1 in call.values):
            return "agreement"
        if isinstance(call, r.Share | r.Release | r.Hold | r.Issue | r.Land) and call.band > 2:
            return "agreement"
        if isinstance(call, r.Hold | r.Issue | r.Complete | r.Settle) and not self.outstanding(call.ticket):
            return retired if call.ticket < self.next_ticket else "agreement"
        if isinstance(call, r.Allocate) and (
            len(call.demand) != 3
            or any(not self.outstanding(ticket) or self.users[ticket] == "transfer" for ticket in call.settle)
        ):
            return "agreement"
        if isinstance(call, r.Allocate) and call.originals:
            return self._uncopyable(call)
        return "agreement" if isinstance(call, r.Unpublish) and not self.state.published[call.who] else None

    def _uncopyable(self, call: r.Allocate) -> str | None:
        if len(call.originals) != 3:
            return "agreement"
        for band, originals in enumerate(call.originals):
            if len(originals) > call.demand[band]:
                return "agreement"
            for vid in originals:
                page = self.state.page_of[band, vid]
                if self.state.refs[band, vid] < 1 or any(
                    self.state.held[ticket, band, page] == WRITE and ticket not in call.settle for ticket in self.users
                ):
                    return "content"
        return None

    def _may_open(self, call: r.Open) -> bool:
        if call.ticket < self.next_ticket:
            return False
        if call.user == "transfer":
            return call.stream is None and not call.waits
        known = all(
            0 <= other < self.next_ticket and self.users.get(other) != "transfer" for other in self._asked(call)
        )
        return call.stream is not None and known

    def _asked(self, call: r.Open) -> list[int]:
        """What it waits for; a transfer that has retired is nothing to wait for, and does no harm."""
        return [
            other for other in call.waits if not (self.users.get(other) == "transfer" and not self.outstanding(other))
        ]

    def _opened(self, call: r.Open) -> None:
        ahead = set(self.tails.get(call.stream, set())) if call.stream is not None else set()
        for other in call.waits:
            ahead |= self.ahead.get(other, set()) | {other}
        self.users[call.ticket], self.streams[call.ticket] = call.user, call.stream
        self.ahead[call.ticket] = ahead
        if call.stream is not None:
            self.tails[call.stream] = ahead | {call.ticket}
        self.next_ticket = call.ticket + 1

    def _actions(self, call: Any) -> Iterable[tuple[str, tuple[Any, ...]]]:
        """Lazily, since what a release does to an id depends on what it did before."""
        match call:
            case r.Share():
                yield from (("share", (call.band, vid)) for vid in call.ids)
            case r.Release():
                for vid in call.ids:
                    yield "unshare" if self.scratch.refs[call.band, vid] > 1 else "free", (call.band, vid)
            case r.Hold():
                yield from (("hold", (call.ticket, call.band, vid, MODES[call.mode])) for vid in call.ids)
            case r.Issue():
                for page, value in zip(call.pages, call.values, strict=True):
                    yield "issue", (call.ticket, call.band, page, value)
            case r.Land():
                yield from (("land", (call.band, page)) for page in call.pages)
            case r.Complete():
                yield "complete", (call.ticket,)
            case r.Settle():
                yield "settle", (call.ticket,)
            case r.Drain():
                yield "drain", ()
            case r.Publish():
                yield "publish", (call.who,)
            case r.Unpublish():
                yield "unpublish", (call.who,)

    def _after(self, actions: Iterable[tuple[str, tuple[Any, ...]]]) -> State | str:
        """The state after all of them, or the property that the first illegal one breaks."""
        self.scratch: Any = self.state
        for name, arguments in actions:
            for _, condition, protects in ACTIONS[name].guard(self.scratch, *arguments):
                if not condition:
                    return protects
            self.scratch = ACTIONS[name].effect(self.scratch, *arguments)
        return self.scratch  # type: ignore[no-any-return]  # effects give states

    # ------------------------------------------------------------------------------------------------------ steps

    def _step(self, step: Any) -> None:
        if self.call is None:
            raise self.illegal("agreement", "allocator")
        if self.misuse is not None:
            raise self.illegal(self.misuse, "driver", self.called)
        if not isinstance(step, ASKED_FOR.get(type(self.call), ())) or not self._makes_sense(step):
            raise self.illegal("agreement", "allocator")
        if isinstance(step, r.Moved) and isinstance(self.call, r.Compact):
            assert self.header is not None
            moves = [s for s in [*self.steps, step] if isinstance(s, r.Moved)]
            if sum(len(s.sources) * self.header.bands[s.band].page_bytes for s in moves) > self.call.budget:
                raise self.illegal("agreement", "allocator")
        state = self._after(_step_actions(step))
        if isinstance(state, str):
            raise self.illegal(state, "allocator")
        self.state = state
        self.steps.append(step)

    def _makes_sense(self, step: Any) -> bool:
        if isinstance(step, r.Settled):
            return step.ticket in self.call.settle and self.outstanding(step.ticket)
        if isinstance(step, r.Refused):
            return True
        if isinstance(step, r.Allocated | r.Wiped) and len(step.pages) != len(step.ids):
            return False
        if isinstance(step, r.Forked) and not (
            len(step.pages) == len(step.ids) == len(step.copied)
            and not any(
                isinstance(other, r.Allocated | r.Wiped) and other.band == step.band and other.ids
                for other in self.steps
            )
        ):
            return False
        if isinstance(step, r.Moved) and len(step.sources) != len(step.targets):
            return False
        return bool(step.band < 3)

    def _end(self, end: r.End) -> None:
        call, self.call = self.call, None
        if call is None:
            raise self.illegal("agreement", "driver")
        if self.misuse is not None:
            if end.outcome != "failed":
                raise self.illegal(self.misuse, "driver", self.called)
            return
        given: list[list[int]] = [[], [], []]
        copied: list[list[int]] = [[], [], []]
        for step in self.steps:
            if isinstance(step, r.Allocated | r.Wiped | r.Forked):
                given[step.band] = given[step.band] + step.ids
            if isinstance(step, r.Forked):
                copied[step.band] = copied[step.band] + step.copied
        refusals = sum(isinstance(step, r.Refused) for step in self.steps)
        settled = any(isinstance(step, r.Settled) for step in self.steps)
        counts = [len(ids) for ids in given]
        asks = isinstance(call, r.Allocate)
        unasked = r.Allocated if asks and call.wipe else r.Wiped
        fits = {
            "refused": asks and refusals == 1 and not any(end.ids),
            "done": end.ids == given
            and not refusals
            and copied == (call.originals or [[], [], []])
            and not any(isinstance(step, unasked) and step.ids for step in self.steps)
            if asks
            else not end.ids,
            "failed": False,
        }
        halves = {
            "refused": asks and (any(counts) or settled),
            "done": asks and not refusals and counts != call.demand,
            "failed": False,
        }
        if halves[end.outcome] or not fits[end.outcome]:
            raise self.illegal("all-or-nothing" if halves[end.outcome] else "agreement", "allocator")

    # --------------------------------------------------------------------------------------------------- questions

    def outstanding(self, ticket: int) -> bool:
        """The ticket was opened and has not retired."""
        return ticket in self.users and self.state.ending[ticket] == OUTSTANDING

    def snapshot(self) -> r.Snapshot:
        """What an allocator that agrees would write."""
        s = self.state
        tickets = [ticket for ticket in sorted(self.users) if self.outstanding(ticket)]
        entries: dict[int, list[r.Entry]] = {ticket: [] for ticket in tickets}
        for (ticket, band, page), mode in sorted(s.held.entries.items()):
            if mode:
                spelled: r.Mode = "read" if mode == READ else "write"
                entries[ticket].append(r.Entry(band, page, spelled, s.name[ticket, band, page]))
        return r.Snapshot(
            [self._band(band) for band in MEMBERS["band"]],
            [
                r.TicketState(
                    ticket,
                    self.users[ticket],  # type: ignore[arg-type]  # it came out of a record
                    self.streams[ticket],
                    sorted(other for other in self.ahead[ticket] if self.outstanding(other)),
                    entries[ticket],
                )
                for ticket in tickets
            ],
            {stream: sorted(other for other in tail if self.outstanding(other)) for stream, tail in self.tails.items()},
            self.next_ticket,
            [who for who in MEMBERS["publisher"] if s.published[who]],
        )

    def _band(self, band: int) -> r.BandState:
        s, pages = self.state, MEMBERS["page"]
        live = [page for page in pages if s.status[band, page] == LIVE]
        ids = [s.vid_at[band, page] for page in live]
        return r.BandState(
            s.lo[band],
            s.hi[band],
            live,
            ids,
            [s.refs[band, vid] for vid in ids],
            [page for page in pages if s.status[band, page] == WITHHELD],
            [page for page in pages if s.queued[band, page] == READ],
            [page for page in pages if s.queued[band, page] == WRITE],
        )


def _step_actions(step: Any) -> Iterable[tuple[str, tuple[Any, ...]]]:
    match step:
        case r.GrewLow():
            yield from [("grow-low", (step.band,))] * step.count
        case r.GrewHigh():
            yield from [("grow-high", (step.band,))] * step.count
        case r.AbsorbedLow():
            yield from [("absorb-low", (step.band,))] * step.count
        case r.AbsorbedHigh():
            yield from [("absorb-high", (step.band,))] * step.count
        case r.Appeared():
            yield "appear", (step.band, step.page)
        case r.Allocated():
            yield from (("allocate", (step.band, *pair)) for pair in zip(step.pages, step.ids, strict=True))
        case r.Wiped():
            yield from (("allocate-wiped", (step.band, *pair, 0)) for pair in zip(step.pages, step.ids, strict=True))
        case r.Forked():
            rows = zip(step.pages, step.ids, step.copied, strict=True)
            yield from (("fork", (step.band, *row)) for row in rows)
        case r.Moved():
            yield from (("move", (step.band, *pair)) for pair in zip(step.sources, step.targets, strict=True))
        case r.Settled():
            yield "settle", (step.ticket,)


def normal(snapshot: r.Snapshot) -> Any:
    """What a snapshot says, whatever the order in which it says it."""
    return (
        [
            (
                its.lo,
                its.hi,
                set(zip(its.pages, its.ids, its.references, strict=True)),
                set(its.withheld),
                set(its.queued_read),
                set(its.queued_write),
            )
            for its in snapshot.bands
        ],
        {its.ticket: (its.user, its.stream, set(its.after), set(its.entries)) for its in snapshot.tickets},
        {stream: set(tail) for stream, tail in snapshot.streams.items() if tail},
        snapshot.next_ticket,
        set(snapshot.publishers),
    )


def says_twice(snapshot: r.Snapshot) -> bool:
    """The snapshot is not even one: columns of different lengths, or something is listed twice."""
    lists: list[list[Any]] = [snapshot.publishers, [its.ticket for its in snapshot.tickets]]
    for its in snapshot.bands:
        if not len(its.pages) == len(its.ids) == len(its.references):
            return True
        lists += [list(zip(its.pages, its.ids, strict=True)), its.withheld, its.queued_read + its.queued_write]
    for ticket in snapshot.tickets:
        if any(entry.band >= len(snapshot.bands) for entry in ticket.entries):
            return True
        lists.append([(entry.band, entry.page) for entry in ticket.entries])
    return any(len(set(listed)) < len(listed) for listed in lists)


def order_is_possible(snapshot: r.Snapshot) -> bool:
    """The outstanding tickets could have been opened one after the other as they are."""
    ahead: dict[int, set[int]] = {}  # of all but transfers
    on_stream: dict[str, set[int]] = {}
    for ticket in sorted(snapshot.tickets, key=lambda ticket: ticket.ticket):
        after = set(ticket.after)
        if ticket.ticket >= snapshot.next_ticket:
            return False
        if ticket.user == "transfer" or ticket.stream is None:
            if ticket.user != "transfer" or ticket.stream is not None or after:
                return False
            continue
        if not on_stream.get(ticket.stream, set()) <= after <= set(ahead):
            return False
        if any(not ahead[other] <= after for other in after):
            return False
        ahead[ticket.ticket] = after
        on_stream.setdefault(ticket.stream, set()).add(ticket.ticket)
    tails = {stream: set(tail) for stream, tail in snapshot.streams.items()}
    return all(tickets <= tails.get(stream, set()) for stream, tickets in on_stream.items()) and all(
        tail <= set(ahead) and all(ahead[other] <= tail for other in tail) for tail in tails.values()
    )
