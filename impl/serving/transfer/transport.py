"""What carries bytes from arena to arena, seen from the end that sends."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeVar

MOST_AT_ONCE: Final = 512
"""Stretches on the way to a peer at a time. Mooncake over TCP (0.3.13) takes about 2,300 and lets all others fail."""

Batch = TypeVar("Batch")


class Stretch(NamedTuple):
    """Bytes of the sender's arena, and where in the receiver's they go.

    Attributes:
        source: the first byte in the own arena.
        target: the first byte in the arena of the peer.
        size: bytes.
    """

    source: int
    target: int
    size: int


class Peer(NamedTuple):
    """Whom the transport sends to.

    Attributes:
        address: where its transport is reached.
        base: what the transport adds to a byte of its arena.
    """

    address: str
    base: int


class Fate(Enum):
    """What has become of a batch."""

    FLYING = "flying"
    """Bytes may be read here and may land there at any time, even after the sender has given up."""
    LANDED = "landed"
    """All bytes are there, and none will be read or written again."""
    FAILED = "failed"
    """Nothing is read here any more; some bytes may land there yet, having left already."""


class Transport(Protocol[Batch]):
    """Sends batches of bytes, and never makes the caller wait."""

    @property
    def address(self) -> str:
        """Where peers reach it."""

    @property
    def base(self) -> int:
        """What it adds to a byte of the own arena."""

    def submit(self, peer: Peer, stretches: Sequence[Stretch]) -> Batch:
        """Begin to send at most `MOST_AT_ONCE` stretches, in any order and in pieces."""

    def fate(self, batch: Batch) -> Fate:
        """What has become of a batch; once it is not `FLYING` any more it stays what it is."""

    def silence_after(self, peer: Peer) -> Callable[[], bool]:
        """Asked when the process of a peer is known to be dead: tells whether nothing of it can land here any more."""
