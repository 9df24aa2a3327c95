"""The order of tickets on the device: which of them runs entirely before which."""

from collections.abc import Iterable, Mapping, Sequence

from events.records import MOST_TICKETS, TicketState
from spec.judge.tables import Table


class Order:
    """Tickets, their users and streams, and for each the outstanding tickets that run before it.

    A ticket runs after whatever was on its stream when it was opened, after what it waits for, and after whatever these
    run after. A transfer is on no stream and waits for nothing.
    """

    def __init__(self) -> None:
        self.user: dict[int, str] = {}
        self.is_transfer = Table(False)
        self.stream: dict[int, str | None] = {}
        self.after: dict[int, set[int]] = {}
        self.tails: dict[str, set[int]] = {}  # of the streams that have any: what their next ticket will run after
        self.next_ticket = 0

    def problem(self, ticket: int, user: str, stream: str | None, waits: Sequence[int]) -> str | None:
        """Why this ticket cannot be opened."""
        if ticket < self.next_ticket:
            return f"ticket {ticket} is not new: the next is {self.next_ticket} or higher"
        if len(self.after) >= MOST_TICKETS:
            return f"{MOST_TICKETS} tickets are outstanding, and a trace can follow no more"
        if user == "transfer" and (stream is not None or waits):
            return f"ticket {ticket} is a transfer, which is on no stream and waits for nothing"
        if user != "transfer" and stream is None:
            return f"ticket {ticket} is a {user}, which needs a stream"
        for other in waits:
            if not 0 <= other < self.next_ticket:
                return f"ticket {ticket} waits for ticket {other}, which was never opened"
            if self.user.get(other) == "transfer":
                return f"ticket {ticket} waits for ticket {other}, a transfer, for which no stream can wait"
        return None

    def open(self, ticket: int, user: str, stream: str | None, waits: Iterable[int]) -> None:
        """A new ticket; whether it may be opened is for `problem` to say."""
        after: set[int] = set()
        for other in waits:
            if other in self.after:
                after |= self.after[other]
                after.add(other)
        if stream is not None:
            after |= self.tails.get(stream, after)
            self.tails[stream] = after | {ticket}
        self.enter(ticket, user, stream, after)
        self.next_ticket = ticket + 1

    def enter(self, ticket: int, user: str, stream: str | None, after: set[int]) -> None:
        """A ticket that is outstanding, and those that run before it."""
        self.user[ticket], self.stream[ticket], self.after[ticket] = user, stream, after
        self.is_transfer[ticket] = user == "transfer"

    def retire(self, ticket: int) -> None:
        """The ticket is over; nothing needs to be ordered with it any more."""
        del self.user[ticket], self.is_transfer[ticket], self.stream[ticket], self.after[ticket]
        for after in self.after.values():
            after.discard(ticket)
        for stream in [stream for stream, tail in self.tails.items() if ticket in tail]:
            self.tails[stream].discard(ticket)
            if not self.tails[stream]:
                del self.tails[stream]

    def is_open(self, ticket: int) -> bool:
        """The ticket was opened and has not retired."""
        return ticket in self.after


def order_problem(tickets: Sequence[TicketState], tails: Mapping[str, Sequence[int]], next_ticket: int) -> str | None:
    """Why outstanding tickets cannot be in this order: it must be one that opening and retiring tickets leaves."""
    numbers = [ticket.ticket for ticket in tickets]
    if len(set(numbers)) < len(numbers):
        return "a ticket is listed twice"
    if numbers and max(numbers) >= next_ticket:
        return f"ticket {max(numbers)} is outstanding, but the next ticket is said to be {next_ticket}"
    ahead: dict[int, int] = {}  # for each ticket, those that run before it as bits of one number
    bit = {number: 1 << place for place, number in enumerate(sorted(numbers))}
    on_stream: dict[str, int] = {}
    for ticket in sorted(tickets, key=lambda ticket: ticket.ticket):
        number, after = ticket.ticket, 0
        if (ticket.user == "transfer") != (ticket.stream is None) or (ticket.user == "transfer" and ticket.after):
            return f"ticket {number}: a transfer is on no stream and runs after nothing, any other is on one"
        for other in ticket.after:
            if other not in ahead:
                return f"ticket {number} runs after ticket {other}, which is not outstanding, not older or a transfer"
            after |= bit[other] | ahead[other]
        if after != sum(bit[other] for other in set(ticket.after)):
            return f"ticket {number} runs after a ticket without running after all that this one runs after"
        if ticket.stream is not None:
            if on_stream.get(ticket.stream, 0) & ~after:
                return f"ticket {number} does not run after all that is older on stream {ticket.stream!r}"
            on_stream[ticket.stream] = on_stream.get(ticket.stream, 0) | bit[number]
            ahead[number] = after
    return _tails_problem(ahead, bit, on_stream, tails)


def _tails_problem(
    ahead: Mapping[int, int], bit: Mapping[int, int], on_stream: Mapping[str, int], tails: Mapping[str, Sequence[int]]
) -> str | None:
    for stream, tail in tails.items():
        reached = 0
        for other in tail:
            if other not in ahead:
                return f"stream {stream!r} ends in ticket {other}, which is not outstanding or is a transfer"
            reached |= bit[other] | ahead[other]
        if reached != sum(bit[other] for other in set(tail)):
            return f"stream {stream!r} ends in a ticket without ending in all that this one runs after"
    for stream, tickets in on_stream.items():
        if tickets & ~sum(bit[other] for other in set(tails.get(stream, ()))):
            return f"stream {stream!r} does not end in all the tickets that are on it"
    return None


class Before:
    """The constant `before` of the state, read from the order; of outstanding tickets only."""

    def __init__(self, order: Order) -> None:
        self.order = order

    def __getitem__(self, pair: tuple[int, int]) -> bool:
        return pair[0] in self.order.after.get(pair[1], ())
