"""The allocator: one arena of bytes for all kinds of memory of a hybrid model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from msgspec.structs import replace

from events import records
from impl.admission import Admission
from impl.arguments import (
    checked_band,
    checked_demand,
    checked_ids,
    checked_mode,
    checked_name,
    checked_settle,
    quarantinable,
    settleable,
)
from impl.band import empty_bands
from impl.chain import Chain, chain_for
from impl.checks import check_tables
from impl.compaction import compacting_moves
from impl.counters import Counters
from impl.device.immediate import ImmediateDevice
from impl.device.protocol import Device
from impl.drafts import AtOnce, Note, Record
from impl.holders import WRITE
from impl.idle import check_idle, without_memory
from impl.layout import Layout, Row
from impl.ledger import Ledger
from impl.misuse import Misuse
from impl.numbers import NOTHING, ONE, ZERO, Int64, as_count, smallest
from impl.originals import Originals, checked_originals, still_written
from impl.pages import LIVE
from impl.plan import Grant, Plan, Refusal
from impl.snapshot import header_of, snapshot_of
from impl.statistics import Statistics, statistics_of
from impl.steps import Steps


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A ticket that has not retired."""

    ticket: int
    user: records.User
    stream: str | None
    age: int
    """Calls that the allocator has taken since it was opened."""
    pages: tuple[int, ...]
    """Pages of each band that it holds."""
    quarantined: bool = False
    """Whether it is a transfer that failed and whose peer is not known to be gone."""


class Allocator:
    """Hands out pages of all kinds from one arena, under virtual ids that stay when pages move.

    Bands are numbered by their position in the chain, from the low end. Ids are those of one band; a page's id stays
    the same for as long as there is a reference to it. One thread owns an allocator. The same calls give the same ids
    and the same layout, everywhere and always.

    A call that breaks a rule raises `Misuse` and changes nothing.

    Args:
        layout: the model's kinds, in chain order.
        arena_bytes: the most bytes that the arena may have, the sink included.
        device: makes what holds the bytes, given the chain; in the host's memory if left out.
        record: takes the steps of each call in the order in which they happen.
        placement: for kinds by name, where in the arena (0 is the low end, 1 the high end) a float that has no page
            should appear; a hint that limits nothing.
        max_tokens: of the longest request that is to be served: an arena that cannot hold it alone is refused. See
            `floor_pages` for what it needs; speculative tokens count.

    Raises:
        ArenaTooSmall: the arena has not even room for one page of each kind, or for one request of `max_tokens`.
        ValueError: the layout's kinds form no chain.
    """

    def __init__(
        self,
        layout: Layout,
        arena_bytes: int,
        *,
        device: Callable[[Chain], Device] | None = None,
        record: Callable[[records.Step], None] | None = None,
        placement: Mapping[str, float] | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self.chain = chain_for(layout, arena_bytes, max_tokens)
        self.device: Device = (device or ImmediateDevice)(self.chain)
        self._bands = empty_bands(self.chain)
        self._ledger = Ledger(tuple(band.holders for band in self._bands), self.chain.bands)
        # a dict, because it keeps the order in which they came
        self._publishers: dict[str, None] = {}
        hints = {self.band(name): wish for name, wish in (placement or {}).items()}
        pages = tuple(band.pages for band in self._bands)
        self._admission = Admission(self.chain, pages, self._ledger, self._publishers, hints)
        self._steps = Steps(self._bands, self._ledger, self.device)
        self.record = record
        self._counters = Counters()
        self._has_memory = True

    @property
    def record(self) -> Callable[[records.Step], None] | None:
        """Takes the steps of each call in the order in which they happen."""
        return self._record

    @record.setter
    def record(self, record: Callable[[records.Step], None] | None) -> None:
        self._record = record
        self._steps.note = None if record is None else AtOnce(cast(Record, record)).note  # it is told of steps alone

    def record_as_drafts(self, note: Note) -> None:
        """Let the steps of each call be noted; see `drafts`."""
        self._steps.note = note

    # -------------------------------------------------------------------------------------------------- what there is

    def band(self, name: str) -> int:
        """The number of the band of a kind; Misuse if there is none of that name."""
        try:
            return self.chain.number(name)
        except KeyError:
            raise Misuse("name", name, "no such kind", f"give one of {', '.join(self.chain.names)}") from None

    @property
    def next_ticket(self) -> int:
        """The number that the next ticket will have."""
        return self._ledger.next_ticket

    def header(self) -> records.Header:
        """What never changes, as a trace begins with it."""
        return header_of(self.chain)

    def snapshot(self) -> records.Snapshot:
        """Everything that the allocator knows, between two calls. Costs time in proportion to the pages in use."""
        return snapshot_of(self._bands, self._ledger, self._publishers)

    def outstanding(self) -> tuple[Outstanding, ...]:
        """The tickets that have not retired, oldest first."""
        now = self._counters.calls
        return tuple(
            Outstanding(
                ticket.number,
                ticket.user,
                ticket.stream,
                now - ticket.opened,
                self._ledger.outstanding_pages(ticket),
                ticket.number in self._ledger.quarantined,
            )
            for ticket in self._ledger.tickets.values()
        )

    def statistics(self) -> Statistics:
        """Counters, at no cost to the calls that they count."""
        return statistics_of(self.chain, self._bands, self._ledger, len(self._publishers), self._counters)

    def translate(self, band: int, ids: Any) -> Int64:
        """The physical pages at which virtual pages live now."""
        tables = checked_band(band, self._bands)
        pages: Int64 = tables.ids.page_of[checked_ids(ids, tables)[0]]
        return pages

    def count_references(self, band: int, ids: Any) -> Int64:
        """How many references each of these virtual pages has; all are alive."""
        return checked_ids(ids, checked_band(band, self._bands))[1]

    def references(self, band: int) -> Int64:
        """The virtual pages of a band that are alive, each named once for each of its references."""
        tables = checked_band(band, self._bands)
        pages = tables.pages
        ids = pages.id_at[pages.pages_that_are(LIVE, pages.lo, pages.hi)]
        named: Int64 = ids.repeat(tables.ids.references[ids])
        return named

    def page_table(self, band: int) -> torch.Tensor:
        """The replica of a band's page table on the device: int64, one physical page for each id.

        Meaningless for ids that are not alive, but never out of range.
        """
        return self.device.table(checked_band(band, self._bands).geometry.number)

    def view(self, row: Row, band: int | None = None) -> torch.Tensor:
        """A row of every entry of its band: [entries, *row.shape] in the row's dtype, on the arena's own bytes.

        Entry `e` is token `e % page_tokens` of physical page `e // page_tokens`. A view is good until the memory is
        released.

        Args:
            row: of the layout, or one that is equal to it.
            band: that has the row; must be said where several bands have such a row.
        """
        if not self._has_memory:
            raise without_memory()
        found = self.chain.bands_with(row) if band is None else [checked_band(band, self._bands).geometry.number]
        if len(found) > 1:
            raise Misuse("row", row, f"bands {found} have one like it", "say which band is meant")
        if not found or row not in self.chain.bands[found[0]].kind.rows:
            raise Misuse("row", row, "no kind has it", "give a row of the allocator's layout")
        return self.device.view(found[0], row)

    # -------------------------------------------------------------------------------------------------- joint demands

    def plan(
        self,
        demand: Sequence[int] | Mapping[str, int],
        settle: Iterable[int] = (),
        originals: Originals | None = None,
    ) -> Plan | Refusal:
        """How a joint demand would be met now, or why it would be refused. Changes nothing.

        Args:
            demand: pages of each band in chain order, or of some kinds by name.
            settle: tickets that may be settled to make room, in the order in which they should be.
            originals: of each band in chain order, or of some kinds by name, the virtual pages of which the first new
                pages are copies. Tickets that write them must be among those that may be settled, and are settled.

        Raises:
            Misuse: a demand of the wrong length or not of counts, an unknown kind, a ticket that cannot be settled, an
                original that is not alive or still written by a ticket that may not be settled, or more originals than
                pages.
        """
        if not self._has_memory:
            raise without_memory()
        wanted = checked_demand(demand, self.chain.names)
        settleable = checked_settle(settle, self._ledger)
        copied = () if originals is None else checked_originals(originals, wanted, self.chain.names, self._bands)
        if not copied:
            return self._admission.plan(wanted, settleable)
        plan = self._admission.plan(wanted, settleable, still_written(copied, self._bands, self._ledger, settleable))
        return replace(plan, originals=copied) if isinstance(plan, Plan) else plan

    def allocate(
        self,
        demand: Sequence[int] | Mapping[str, int],
        settle: Iterable[int] = (),
        originals: Originals | None = None,
        *,
        wipe: bool = False,
    ) -> Grant | Refusal:
        """Meet a joint demand exactly as `plan` says, or refuse it and change nothing.

        Each new page has one reference. It promises no contents, but for those that begin as copies: these show what
        their originals show once all that was issued to them has landed. With `wipe` the others begin as zeros, the
        number 0 in every dtype, so that a kernel which reads rows that nobody wrote, if only to give them no weight,
        finds no NaN that was written there as another kind's. It costs the writing of those pages, on the allocator's
        stream; a transfer can be given them only once that has caught up.
        """
        plan = self.plan(demand, settle, originals)
        self._counters.calls += 1
        if isinstance(plan, Refusal):
            self._counters.refusals[plan.reason] += 1
            if self._steps.note:
                tickets, publishers = list(plan.tickets), list(plan.publishers)
                self._steps.note(records.Refused(plan.reason, tickets, publishers, list(plan.evict)))
            return plan
        self._counters.settled += len(plan.settle)
        self._counters.admitted[plan.step] += 1
        return Grant(self._steps.carry_out(plan, wipe=wipe), plan)

    # ------------------------------------------------------------------------------------------------------ references

    def share(self, band: int, ids: Any) -> None:
        """One more reference to each of these virtual pages; an id named twice gains two."""
        tables = checked_band(band, self._bands)
        shared, _ = checked_ids(ids, tables)
        self._counters.calls += 1
        if tables.sieve.once(shared) is shared:
            tables.ids.references[shared] += 1
        else:
            np.add.at(tables.ids.references, shared, 1)

    def release(self, band: int, ids: Any) -> None:
        """One reference less to each of these virtual pages; an id named twice loses two.

        The last one frees the page: it becomes a hole, or is withheld while any ticket holds it.
        """
        tables = checked_band(band, self._bands)
        released, references = checked_ids(ids, tables)
        once = tables.sieve.once(released)
        if once is released:
            left = references - ONE
        else:
            once, named = np.unique(released, return_counts=True)
            left = tables.ids.references[once] - named
            if smallest(left) < 0:
                worst = int(once[left.argmin()])
                raise Misuse("ids", worst, "named more often than it has references", "release each reference once")
        self._counters.calls += 1
        tables.ids.references[once] = left
        freed = once[left == ZERO] if np.count_nonzero(left) else once
        if freed.size:
            self._steps.free(tables.geometry.number, freed)

    def clear(self) -> None:
        """Give up every reference to every virtual page, as one call of `release` for each band would.

        Outstanding tickets keep what they hold: those pages are withheld until they retire.
        """
        for band in range(len(self._bands)):
            named = self.references(band)
            if named.size:
                self.release(band, named)

    # --------------------------------------------------------------------------------------------------------- tickets

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """A new ticket for a piece of device work; tickets are numbered upwards.

        Args:
            user: `forward`, `copy` (a host copy) or `transfer` (over the network).
            stream: where it runs, behind everything that was opened on it before; none for a transfer.
            waits: other tickets for which it waits; none for a transfer, and no transfer among them.
        """
        if stream is not None:
            checked_name(stream, "stream")
        ticket = self._ledger.open(user, stream, waits, self._counters.calls)
        self._counters.calls += 1
        return ticket.number

    def hold(self, ticket: int, band: int, ids: Any, mode: str) -> Int64:
        """Give a ticket the physical pages of virtual pages; it keeps them, whatever happens, until it retires.

        Args:
            ticket: outstanding.
            band: of the ids.
            ids: alive; for writing, with a sole reference.
            mode: `read` or `write`. Holding a page again keeps the stronger mode.

        Returns:
            The physical pages, one for each id.
        """
        if not self._has_memory:
            raise without_memory()
        holder = self._ledger.ticket(ticket)
        tables = checked_band(band, self._bands)
        level = checked_mode(mode)
        held, references = checked_ids(ids, tables)
        if not held.size:
            self._counters.calls += 1
            return NOTHING
        if level == WRITE:
            most = int(references.argmax())
            if references[most] > 1:
                raise Misuse("ids", int(held[most]), "is shared, and writing needs a sole reference", "copy it first")
        pages: Int64 = tables.ids.page_of[held]
        number = tables.geometry.number
        self._ledger.check_hold(holder, number, pages, level)
        self._counters.calls += 1
        self._ledger.hold(holder, number, pages, level)
        # the ledger keeps its own
        return pages.copy()

    def complete(self, ticket: int) -> None:
        """The work of a ticket is observed to be over, and everything that it wrote has landed."""
        holder = self._ledger.ticket(ticket)
        self._counters.calls += 1
        self._steps.retire(holder, settled=False)

    def quarantine(self, ticket: int) -> None:
        """A transfer failed or timed out, and its peer may still read and write where it was sent.

        The transfer keeps what it holds until `complete` says that the peer is known to be gone; until then
        `outstanding` and refusals name it. No other ticket can be put in quarantine, because the device observes the
        end of what it does itself.
        """
        transfer = quarantinable(ticket, self._ledger)
        self._counters.calls += 1
        self._ledger.quarantined.add(transfer.number)

    def settle(self, ticket: int) -> None:
        """Make the allocator's stream wait for a ticket: for all that is ordered behind it, its work is over."""
        holder = settleable(ticket, self._ledger)
        self._counters.calls += 1
        self._counters.settled += 1
        self.device.wait_for(holder.number)
        self._steps.retire(holder, settled=True)

    def drain(self) -> None:
        """The allocator's stream is observed to have caught up: nothing is queued on any page any more."""
        self._counters.calls += 1
        for band in self._bands:
            band.holders.drain()

    # -------------------------------------------------------------------------------------------------------- the gate

    def publish(self, who: str) -> None:
        """Someone gives addresses to a peer: until it takes them back, no page of any kind moves."""
        if not self._has_memory:
            raise without_memory()
        name = checked_name(who, "who")
        self._counters.calls += 1
        self._publishers[name] = None

    def unpublish(self, who: str) -> None:
        """Someone takes its addresses back."""
        name = checked_name(who, "who")
        if name not in self._publishers:
            raise Misuse("who", who, "has published nothing", "unpublish once for each who published")
        self._counters.calls += 1
        del self._publishers[name]

    # ---------------------------------------------------------------------------------------------------------- moving

    def compact(self, budget_bytes: int) -> int:
        """Move live pages into holes of their own band, so that spans retreat and gaps widen.

        For idle moments: the work of a call is bounded by its budget (see `compacting_moves`), whatever the size of the
        arena. Called until it returns 0, with a budget of at least a page of each kind, it leaves the smallest spans
        that the pins allow; each call that moves anything leaves smaller ones than it found.

        Args:
            budget_bytes: the most bytes that may be moved; those of several kinds share it, from the low end on.

        Returns:
            The bytes that were moved; 0 while anybody has published addresses.
        """
        if not self._has_memory:
            raise without_memory()
        budget = as_count(budget_bytes, "budget_bytes")
        self._counters.calls += 1
        if self._publishers:
            return 0
        left = budget
        for number, band in enumerate(self._bands):
            size = band.geometry.page_bytes
            moves = compacting_moves(band.pages, self._ledger.pins(number), left // size)
            if moves is not None:
                self._steps.compact(number, *moves)
                left -= moves[0].size * size
        return budget - left

    # ---------------------------------------------------------------------------------------------------------- memory

    @property
    def has_memory(self) -> bool:
        """Whether the arena's bytes are there: not between `release_memory` and `resume_memory`."""
        return self._has_memory

    def release_memory(self) -> None:
        """Give the arena's bytes back, for others to use, until `resume_memory`.

        Ids, tickets and page tables stay. Until then every call that needs bytes is a misuse: `plan`, `allocate`,
        `hold`, `publish`, `compact` and `view`.

        Raises:
            Misuse: a page is live, a ticket is outstanding, somebody has published addresses, work is queued on the
                allocator's stream, or the bytes are given back already.
        """
        if not self._has_memory:
            raise without_memory()
        check_idle(self._bands, self._ledger, self._publishers)
        self._counters.calls += 1
        self.device.release_memory()
        self._has_memory = False

    def resume_memory(self) -> None:
        """Take bytes for the arena again. The sink is zero, pages promise no contents, and old views are void.

        Raises:
            Misuse: the bytes are there.
        """
        if self._has_memory:
            raise Misuse("memory", "present", "the arena's bytes were not given back", "call `release_memory` first")
        self._counters.calls += 1
        self.device.resume_memory()
        self._has_memory = True

    def check(self) -> None:
        """Assert every invariant of the tables, page by page; for tests."""
        check_tables(self.chain, self._bands, self._ledger)
