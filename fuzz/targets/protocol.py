"""What a target is: an allocator that can be built, driven and judged."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch

from events import records
from impl.chain import Chain
from impl.layout import Layout, Row
from impl.numbers import Int64
from impl.plan import Grant, Plan, Refusal

Record = Callable[[records.AnyRecord], None]
"""Takes the records of a trace as they are written."""

Land = Callable[[int], None]
"""Called with a ticket when the allocator's stream is made to wait for it: its writes have landed on return."""


class Driven(Protocol):
    """The calls that a driver makes. Each is on record before it is made; a misuse raises `Misuse`."""

    @property
    def chain(self) -> Chain:
        """The bands, and the bytes that they share."""

    @property
    def next_ticket(self) -> int:
        """The number that the next ticket will have."""

    def allocate(
        self,
        demand: Sequence[int],
        settle: Iterable[int] = (),
        originals: Sequence[Any] | None = None,
        *,
        wipe: bool = False,
    ) -> Grant | Refusal:
        """Meet a joint demand or refuse it; these tickets may be settled, and the first pages of a band be copies.

        With `wipe` the other pages begin as zeros.
        """

    def plan(
        self, demand: Sequence[int], settle: Iterable[int] = (), originals: Sequence[Any] | None = None
    ) -> Plan | Refusal:
        """What `allocate` would do. Changes nothing and is not on record."""

    def share(self, band: int, ids: Any) -> None:
        """One more reference to each."""

    def release(self, band: int, ids: Any) -> None:
        """One reference less to each."""

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """A new ticket."""

    def hold(self, ticket: int, band: int, ids: Any, mode: records.Mode) -> Int64:
        """Give a ticket the physical pages of virtual ones."""

    def clear(self) -> None:
        """Give up every reference to every virtual page."""

    def complete(self, ticket: int) -> None:
        """The work of a ticket is over."""

    def quarantine(self, ticket: int) -> None:
        """A transfer failed; it keeps what it holds until it is completed."""

    def settle(self, ticket: int) -> None:
        """The allocator's stream waits for a ticket."""

    def drain(self) -> None:
        """The allocator's stream has caught up."""

    def publish(self, who: str) -> None:
        """Someone gives addresses to a peer."""

    def unpublish(self, who: str) -> None:
        """Someone takes them back."""

    def compact(self, budget_bytes: int) -> int:
        """Move up to so many bytes; how many were moved."""

    def release_memory(self) -> None:
        """Give the arena's bytes back; a misuse while anybody needs them."""

    def resume_memory(self) -> None:
        """Take bytes for the arena again: the sink is zero, the pages promise nothing, and old views are void."""

    def issue(self, ticket: int, band: int, pages: Any, values: Any) -> None:
        """Write down that a ticket writes a value to each of these physical pages."""

    def land(self, band: int, pages: Any) -> None:
        """Write down that the writes in flight to these physical pages arrive."""

    def translate(self, band: int, ids: Any) -> Int64:
        """Where virtual pages live, by the host's table."""

    def page_table(self, band: int) -> torch.Tensor:
        """The same as kernels read it, one physical page for each id."""

    def view(self, row: Row) -> torch.Tensor:
        """A row of every entry: [entries, *row.shape] in the row's dtype."""

    def header(self) -> records.Header:
        """What never changes."""

    def snapshot(self) -> records.Snapshot:
        """Everything that the allocator knows."""

    def check(self) -> None:
        """Assert that the allocator's tables agree with each other."""


@dataclass(frozen=True)
class Built:
    """A driven allocator and where the bytes of its pages are.

    Attributes:
        allocator: is driven.
        find_arena: the arena's bytes as the device has them now; others once the memory was given back and resumed.
    """

    allocator: Driven
    find_arena: Callable[[], npt.NDArray[np.uint8]]

    @property
    def arena(self) -> npt.NDArray[np.uint8]:
        """The arena's bytes now."""
        return self.find_arena()


class Target(Protocol):
    """An allocator that can be built for any layout and driven."""

    @property
    def name(self) -> str:
        """As a person chooses it."""

    @property
    def promises(self) -> frozenset[str]:
        """The properties and checks that it must keep; what it does not promise is no failure."""

    def build(self, layout: Layout, arena_bytes: int, land: Land, record: Record) -> Built:
        """A new allocator with an arena of at most so many bytes, whose trace goes to `record`."""
