"""Which tickets run after which, with the reason: a stream runs its tickets in order, and a ticket can wait for others.

What the judge knows of it, told so that a person can check it.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from events import records as r
from spec.judge.order import Order


@dataclass
class Openings:
    """Takes what opens tickets and what ends them, in turn."""

    order: Order = field(default_factory=Order)
    waits: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The tickets that each outstanding ticket was told to wait for."""

    def open(self, call: r.Open) -> None:
        """Open a new ticket."""
        self.order.open(call.ticket, call.user, call.stream, call.waits)
        self.waits[call.ticket] = tuple(call.waits)

    def begin(self, snapshot: r.Snapshot) -> None:
        """The tickets with which a trace begins."""
        for ticket in snapshot.tickets:
            self.order.enter(ticket.ticket, ticket.user, ticket.stream, set(ticket.after))
            self.waits[ticket.ticket] = ()
        self.order.tails.update({stream: set(tail) for stream, tail in snapshot.streams.items()})
        self.order.next_ticket = snapshot.next_ticket

    def retire(self, ticket: int) -> None:
        """It is over, or settled."""
        if self.order.is_open(ticket):
            self.order.retire(ticket)
            self.waits.pop(ticket, None)

    def why(self, first: int, then: int) -> str:
        """Why one outstanding ticket runs after another: a clause; empty where it does not."""
        if first not in self.order.after.get(then, ()):
            return ""
        seen: dict[int, str] = {then: ""}
        left = deque([then])
        while left:
            ticket = left.popleft()
            for before, why in self._behind(ticket):
                if before not in seen:
                    seen[before] = f"{seen[ticket]}, and {why}" if seen[ticket] else why
                    left.append(before)
        said = seen.get(first, "by way of tickets that are over by now")
        return f"ticket {then} runs after ticket {first}: {said}"

    def _behind(self, ticket: int) -> Iterator[tuple[int, str]]:
        """The outstanding tickets that are directly before this one, and by what: the nearest first."""
        after, stream = self.order.after[ticket], self.order.stream[ticket]
        for other in sorted(after, reverse=True):
            if other in self.waits.get(ticket, ()):
                yield other, f"ticket {ticket} waits for ticket {other}"
            if stream is not None and self.order.stream[other] == stream:
                yield other, f"both are on stream {stream!r}, and ticket {other} was opened first"


@dataclass(frozen=True)
class Row:
    """An outstanding ticket as one line of a table of streams."""

    stream: str
    """Empty for a transfer, which is on none."""
    ticket: int
    user: str
    waits: tuple[int, ...]
    """The tickets that it was told to wait for."""
    after: tuple[int, ...]
    """All that it runs after, and that is not over."""
    holds: tuple[str, ...]
    """Pages, and to do what."""
    concerned: bool
    """Whether it has to do with what broke."""


MOST_ROWS = 16
"""Rows of a table; if there are more, those of no concern are left out."""


def rows(openings: Openings, holds: dict[int, list[str]], concerned: set[int]) -> tuple[Row, ...]:
    """Outstanding tickets by their streams, and on each stream in the order in which it runs them."""
    order = openings.order
    shown = list(order.after)
    if len(shown) > MOST_ROWS:
        shown = [ticket for ticket in shown if ticket in concerned][:MOST_ROWS]
    streams: dict[Any, None] = dict.fromkeys(order.stream[ticket] for ticket in shown)
    return tuple(
        Row(
            stream or "",
            ticket,
            order.user[ticket],
            openings.waits.get(ticket, ()),
            tuple(sorted(order.after[ticket])),
            tuple(holds.get(ticket, ())),
            ticket in concerned,
        )
        for stream in streams
        for ticket in sorted(shown)
        if order.stream[ticket] == stream
    )
