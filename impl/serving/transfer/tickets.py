"""A transfer's ticket, and how it comes to hold pages: behind all that the allocator's stream still does."""

from collections.abc import Sequence
from typing import Protocol

from events.records import Mode
from impl.serving.engine.engine import Tickets


class TransferTickets(Tickets, Protocol):
    """An allocator, or one on record, for transfers; see `impl.allocator.Allocator`."""

    def quarantine(self, ticket: int) -> None:
        """A transfer failed, and its peer may still read and write."""

    def drain(self) -> None:
        """The allocator's stream has caught up."""

    def publish(self, who: str) -> None:
        """Addresses are given to a peer."""

    def unpublish(self, who: str) -> None:
        """Addresses are taken back."""


class CatchesUp(Protocol):
    """The device of an allocator; see `impl.device.arena.ArenaDevice`."""

    def has_caught_up(self) -> bool:
        """Whether nothing is left on the allocator's stream."""


def has_caught_up(allocator: TransferTickets, device: CatchesUp) -> bool:
    """Whether nothing is left on the allocator's stream: a transfer waits for no stream, so it may begin only then."""
    if not device.has_caught_up():
        return False
    allocator.drain()
    return True


def hold_all(
    allocator: TransferTickets, pages: Sequence[Sequence[int]], mode: Mode
) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """A transfer's ticket that holds these virtual pages of each band, and where they are; see `has_caught_up`."""
    ticket = allocator.open("transfer")
    return ticket, tuple(tuple(allocator.hold(ticket, band, ids, mode).tolist()) for band, ids in enumerate(pages))
