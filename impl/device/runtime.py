"""What work on a device is made of: streams, events, kernels and copies on them, and transfers outside of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import torch

from impl.numbers import Int64

Event = TypeVar("Event")

ARENA = "arena"
"""The memory that all pages lie in; a page table is a memory of its own."""


class Touch(NamedTuple):
    """Bytes that a piece of work reads or writes: begin <= byte < end of a memory; `what` names them for people."""

    memory: str
    begin: int
    end: int
    writes: bool
    what: str


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of some work that is done at once.

    Attributes:
        run: does it, on the device; on a stream of a GPU it only launches it.
        touches: the bytes that it reads and writes, asked for just before it is run; a GPU does not ask.
    """

    run: Callable[[], object]
    touches: Callable[[], Iterable[Touch]]


@dataclass(frozen=True, eq=False)
class Work:
    """A kernel, a copy or a transfer.

    Attributes:
        name: what it does, for people.
        pieces: on a stream one runs after the other; those of a transfer land in any order.
        ticket: whose it is; None for the allocator's own.
        is_over: of a transfer, whether its peer says that it has ended; never blocks.
    """

    name: str
    pieces: tuple[Piece, ...]
    ticket: int | None = None
    is_over: Callable[[], bool] | None = None


class Runtime(Protocol[Event]):
    """Takes work and does it later. A stream is known by its name, and what is put on it is done in that order."""

    def launch(self, stream: str, work: Work) -> None:
        """Put a kernel or a copy on a stream."""

    def record(self, stream: str) -> Event:
        """A new event, which happens when all that is on the stream by now is done."""

    def wait(self, stream: str, event: Event) -> None:
        """What is put on the stream from now on begins after the event. The host does not wait."""

    def transfer(self, work: Work) -> Event:
        """Begin a transfer now, behind what the host has seen and behind nothing else; the event is its end."""

    def is_done(self, event: Event) -> bool:
        """Whether an event has happened, without waiting for it. After True, whatever is asked for comes behind it."""

    def synchronize(self, event: Event) -> None:
        """Let the host wait for an event. Counted; no allocator may ask for it."""

    @property
    def host_waits(self) -> int:
        """How often the host has waited for the device."""

    def empty(self, stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        """A flat tensor in device memory for use behind a stream; its bytes may be anything."""

    def on_device(self, numbers: Int64) -> torch.Tensor:
        """Numbers for a piece of work that is being run."""

    def for_kernels(self, tensor: torch.Tensor) -> torch.Tensor:
        """The same memory as others may have it, to give to kernels; reading it on the host is waiting."""
