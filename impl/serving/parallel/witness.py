"""An allocator, and a digest of all that it was asked and has answered, by which ranks compare it with theirs."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol

import msgspec
import numpy as np

from events import records
from impl.chain import Chain
from impl.numbers import Int64
from impl.plan import Grant, Plan, Refusal
from impl.serving.transfer.tickets import TransferTickets


class Planned(TransferTickets, Protocol):
    """An allocator, or one on record; see `impl.allocator.Allocator` for what each call does."""

    def plan(
        self, demand: Sequence[int], settle: Iterable[int] = (), originals: Sequence[Any] | None = None
    ) -> Plan | Refusal:
        """How a demand would be met."""

    def settle(self, ticket: int) -> None:
        """The allocator's stream waits for it."""

    def snapshot(self) -> records.Snapshot:
        """All that it knows."""

    def header(self) -> records.Header:
        """What never changes."""


class Witness:
    """Passes every call on, and remembers what it gave.

    Ids are compared as counted from the first one that their band can have.

    Args:
        allocator: of this rank.
        layout: whether physical pages are compared, too: where the ranks' layouts are the same.
        stage: said after "the layout", so that it is compared with those of the same stage alone.
        chain: what those above take for the allocator's chain; the allocator's own if left out.
        whose: said after the name of each thing that is compared.
    """

    def __init__(
        self, allocator: Planned, *, layout: bool, stage: str = "", chain: Chain | None = None, whose: str = ""
    ) -> None:
        self._allocator, self._layout, self._stage, self._whose = allocator, layout, stage, whose
        self._chain = chain or allocator.chain
        self._tickets = blake2b()
        self._ids = {name: blake2b() for name in allocator.chain.names}
        self._pages = blake2b(msgspec.msgpack.encode(allocator.header()))

    def said(self) -> Mapping[str, int]:
        """A number of 63 bits for each thing that ranks must have in common, by its name."""
        found = {"the tickets": _number(self._tickets)}
        found |= {f"the ids of {name}": _number(digest) for name, digest in self._ids.items()}
        if self._layout:
            whole = self._pages.copy()
            whole.update(msgspec.msgpack.encode(self._allocator.snapshot()))
            found[f"the layout{self._stage}"] = _number(whole)
        return {f"{name}{self._whose}": number for name, number in found.items()}

    @property
    def chain(self) -> Chain:
        """See `Allocator.chain`."""
        return self._chain

    def plan(
        self, demand: Sequence[int], settle: Iterable[int] = (), originals: Sequence[Any] | None = None
    ) -> Plan | Refusal:
        """See `Allocator.plan`."""
        return self._allocator.plan(demand, settle, originals)

    def allocate(
        self,
        demand: Sequence[int],
        settle: Iterable[int] = (),
        originals: Sequence[Any] | None = None,
        *,
        wipe: bool = False,
    ) -> Grant | Refusal:
        """See `Allocator.allocate`."""
        given = self._allocator.allocate(demand, settle, originals, wipe=wipe)
        if isinstance(given, Grant):
            for band, ids in enumerate(given.ids):
                self._took("allocate", band, ids)
            self._told("settle", *given.plan.settle)
        return given

    def share(self, band: int, ids: Any) -> None:
        """See `Allocator.share`."""
        self._allocator.share(band, ids)
        self._took("share", band, ids)

    def release(self, band: int, ids: Any) -> None:
        """See `Allocator.release`."""
        self._allocator.release(band, ids)
        self._took("release", band, ids)

    def count_references(self, band: int, ids: Any) -> Int64:
        """See `Allocator.count_references`."""
        return self._allocator.count_references(band, ids)

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """See `Allocator.open`."""
        ticket = self._allocator.open(user, stream, waits)
        self._told("open", ticket)
        return ticket

    def hold(self, ticket: int, band: int, ids: Any, mode: records.Mode) -> Int64:
        """See `Allocator.hold`."""
        pages = self._allocator.hold(ticket, band, ids, mode)
        self._took(mode, band, ids)
        self._pages.update(pages.tobytes())
        return pages

    def complete(self, ticket: int) -> None:
        """See `Allocator.complete`."""
        self._allocator.complete(ticket)
        self._told("complete", ticket)

    def settle(self, ticket: int) -> None:
        """See `Allocator.settle`."""
        self._allocator.settle(ticket)
        self._told("settle", ticket)

    def quarantine(self, ticket: int) -> None:
        """See `Allocator.quarantine`."""
        self._allocator.quarantine(ticket)
        self._told("quarantine", ticket)

    def drain(self) -> None:
        """See `Allocator.drain`."""
        self._allocator.drain()
        self._tickets.update(b"drain")

    def publish(self, who: str) -> None:
        """See `Allocator.publish`."""
        self._allocator.publish(who)
        self._tickets.update(f"publish {who}".encode())

    def unpublish(self, who: str) -> None:
        """See `Allocator.unpublish`."""
        self._allocator.unpublish(who)
        self._tickets.update(f"unpublish {who}".encode())

    def snapshot(self) -> records.Snapshot:
        """See `Allocator.snapshot`."""
        return self._allocator.snapshot()

    def header(self) -> records.Header:
        """See `Allocator.header`."""
        return self._allocator.header()

    def _took(self, what: str, band: int, ids: Any) -> None:
        geometry = self.chain.bands[band]
        # where the first page above the sink lies differs between stages
        listed = np.asarray(ids, dtype=np.int64) - geometry.first
        if listed.size:
            self._ids[geometry.name].update(what.encode() + listed.tobytes())

    def _told(self, what: str, *tickets: int) -> None:
        if tickets:
            self._tickets.update(f"{what} {tickets}".encode())


def _number(digest: "blake2b") -> int:
    return int.from_bytes(digest.digest()[:8], "big") >> 1
