"""The order of tickets on the device: which of them runs entirely before which."""

from collections.abc import Iterable


class Order:
    """Tickets, their users and streams, and for each the outstanding tickets that run before it.

    A ticket runs after whatever was on its stream when it was opened, after what it waits for, and after whatever these
    run after.  A transfer is on no stream and waits for nothing.
    """

    def __init__(self) -> None:
        self.user: dict[int, str] = {}
        self.stream: dict[int, str | None] = {}
        self.after: dict[int, set[int]] = {}
        self.tails: dict[str, set[int]] = {}
        self.next_ticket = 0

    def open(self, ticket: int, user: str, stream: str | None, waits: Iterable[int]) -> None:
        """A new ticket; whether it may be opened is for `problem` to say."""
        after: set[int] = set()
        for other in waits:
            if other in self.after:
                after |= self.after[other]
                after.add(other)
        if stream is not None:
            after |= self.tails.get(stream, set())
            self.tails[stream] = after | {ticket}
        self.user[ticket], self.stream[ticket], self.after[ticket] = user, stream, after
        self.next_ticket = max(self.next_ticket, ticket + 1)

    def problem(self, ticket: int, user: str, stream: str | None, waits: Iterable[int]) -> str | None:
        """Why this ticket cannot be opened."""
        if ticket < self.next_ticket:
            return f"ticket {ticket} is not new: the next is {self.next_ticket} or higher"
        if user == "transfer" and (stream is not None or list(waits)):
            return f"ticket {ticket} is a transfer, which is on no stream and waits for nothing"
        if user != "transfer" and stream is None:
            return f"ticket {ticket} is a {user}, which needs a stream"
        for other in waits:
            if other >= self.next_ticket:
                return f"ticket {ticket} waits for ticket {other}, which was never opened"
            if self.user.get(other) == "transfer":
                return f"ticket {ticket} waits for ticket {other}, a transfer, for which no stream can wait"
        return None

    def retire(self, ticket: int) -> None:
        """The ticket is over; nothing needs to be ordered with it any more."""
        del self.user[ticket], self.stream[ticket], self.after[ticket]
        for after in self.after.values():
            after.discard(ticket)
        for tail in self.tails.values():
            tail.discard(ticket)

    def is_open(self, ticket: int) -> bool:
        """The ticket was opened and has not retired."""
        return ticket in self.after


class Before:
    """The constant `before` of the state, read from the order; of outstanding tickets only."""

    def __init__(self, order: Order) -> None:
        self.order = order

    def __getitem__(self, pair: tuple[int, int]) -> bool:
        return pair[0] in self.order.after.get(pair[1], ())


class IsTransfer:
    """The constant `is_transfer` of the state, read from the order."""

    def __init__(self, order: Order) -> None:
        self.order = order

    def __getitem__(self, ticket: int) -> bool:
        return self.order.user.get(ticket) == "transfer"
