"""The allocator: one arena of bytes for all kinds of memory of a hybrid model."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from events import records
from impl.admission import Admission
from impl.chain import Chain, chain_for
from impl.checks import check_tables
from impl.compaction import compacting_moves
from impl.device.immediate import ImmediateDevice
from impl.device.protocol import Device
from impl.holders import READ, WRITE
from impl.ids import IdSpace
from impl.layout import Layout, Row
from impl.ledger import Ledger, Ticket
from impl.misuse import Misuse
from impl.numbers import NOTHING, Int64, Sieve, as_count, as_ids, smallest
from impl.pages import WITHHELD, Pages
from impl.plan import Grant, Plan, Refusal
from impl.relayout import in_legal_order
from impl.snapshot import header_of, snapshot_of
from impl.statistics import Counters, KindStatistics, Statistics

MODES: Mapping[str, int] = {"read": READ, "write": WRITE}


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


class Allocator:
    """Hands out pages of all kinds from one arena, under virtual ids that stay when pages move.

    Bands are numbered by their position in the chain, from the low end.  Ids are those of one band; a page's id stays
    the same for as long as there is a reference to it.  One thread owns an allocator.  The same calls give the same ids
    and the same layout, everywhere and always.

    A call that breaks a rule raises `Misuse` and changes nothing.

    Args:
        layout: the model's kinds, in chain order.
        arena_bytes: the most bytes that the arena may have, the sink included.
        device: makes what holds the bytes, given the chain; in the host's memory if left out.
        record: takes the steps of each call in the order in which they happen.
        placement: for kinds by name, where in the arena (0 is the low end, 1 the high end) a float that has no page
            should appear; a hint that limits nothing.
    """

    def __init__(
        self,
        layout: Layout,
        arena_bytes: int,
        *,
        device: Callable[[Chain], Device] | None = None,
        record: Callable[[records.Step], None] | None = None,
        placement: Mapping[str, float] | None = None,
    ) -> None:
        self.chain = chain_for(layout, arena_bytes)
        bands = self.chain.bands
        self.device: Device = (device or ImmediateDevice)(self.chain)
        self.record = record
        self._bands = tuple(Pages(band, low_end=band is bands[0], high_end=band is bands[-1]) for band in bands)
        self._ids = tuple(IdSpace(band.first, band.limit) for band in bands)
        self._sieves = tuple(Sieve(band.limit) for band in bands)
        self._ledger = Ledger(self.chain)
        # a dict, because it keeps the order in which they came
        self._publishers: dict[str, None] = {}
        hints = {self.band(name): wish for name, wish in (placement or {}).items()}
        self._admission = Admission(self.chain, self._bands, self._ledger, self._publishers, hints)
        self._calls = 0
        self._counters = tuple(Counters() for _ in bands)
        self._refusals: Counter[str] = Counter()
        self._steps: Counter[int] = Counter()
        self._settled = 0

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
        """Everything that the allocator knows, between two calls.  Costs time in proportion to the pages in use."""
        return snapshot_of(self._bands, self._ids, self._ledger, self._publishers)

    def outstanding(self) -> tuple[Outstanding, ...]:
        """The tickets that have not retired, oldest first."""
        ledger = self._ledger
        return tuple(
            Outstanding(number, held.user, held.stream, self._calls - held.opened, ledger.outstanding_pages(held))
            for number, held in ledger.tickets.items()
        )

    def statistics(self) -> Statistics:
        """Counters, at no cost to the calls that they count."""
        kinds = tuple(
            KindStatistics(
                band.geometry.name,
                band.geometry.page_bytes,
                band.hi - band.lo,
                band.live,
                band.withheld,
                band.holes,
                counters.allocated,
                counters.freed,
                counters.moved,
            )
            for band, counters in zip(self._bands, self._counters, strict=True)
        )
        in_spans = sum(kind.span * kind.page_bytes for kind in kinds)
        return Statistics(
            kinds,
            self.chain.capacity - self.chain.base - in_spans,
            len(self._ledger.tickets),
            len(self._publishers),
            self._calls,
            dict(self._refusals),
            dict(self._steps),
            self._settled,
        )

    def translate(self, band: int, ids: Any) -> Int64:
        """The physical pages at which virtual pages live now."""
        band = self._checked_band(band)
        pages: Int64 = self._ids[band].page_of[self._alive(band, ids)]
        return pages

    def page_table(self, band: int) -> torch.Tensor:
        """The replica of a band's page table on the device: int64, one physical page for each id.

        Meaningless for ids that are not alive, but never out of range.
        """
        return self.device.table(self._checked_band(band))

    def view(self, row: Row) -> torch.Tensor:
        """A row of every entry of its band: [entries, *row.shape] in the row's dtype, on the arena's own bytes.

        Entry `e` is token `e % page_tokens` of physical page `e // page_tokens`.
        """
        for band in self.chain.bands:
            if row in band.kind.rows:
                return self.device.view(band.number, row)
        raise Misuse("row", row, "no kind has it", "give a row of the allocator's layout")

    # -------------------------------------------------------------------------------------------------- joint demands

    def plan(self, demand: Sequence[int] | Mapping[str, int], settle: Iterable[int] = ()) -> Plan | Refusal:
        """How a joint demand would be met now, or why it would be refused.  Changes nothing.

        Args:
            demand: pages of each band in chain order, or of some kinds by name.
            settle: tickets that may be settled to make room, in the order in which they should be.

        Raises:
            Misuse: a demand of the wrong length or not of counts, an unknown kind, a ticket that cannot be settled.
        """
        return self._admission.plan(self._checked_demand(demand), self._checked_settle(settle))

    def allocate(self, demand: Sequence[int] | Mapping[str, int], settle: Iterable[int] = ()) -> Grant | Refusal:
        """Meet a joint demand exactly as `plan` says, or refuse it and change nothing.

        Each new page has one reference.  It promises no contents.
        """
        plan = self.plan(demand, settle)
        self._calls += 1
        if type(plan) is not Plan:
            assert isinstance(plan, Refusal)  # the planner gives one or the other
            return self._refuse(plan)
        for number in plan.settle:
            self._settle(self._ledger.tickets[number])
        if plan.spans != tuple([(band.lo, band.hi) for band in self._bands]):
            self._lay_out(plan)
        moved = {move.band: self._ids_at(move.band, move.targets) for move in plan.moves}
        ids = tuple(
            self._hand_out(band, count, moved.pop(band, NOTHING)) if count else NOTHING
            for band, count in enumerate(plan.demand)
        )
        for band, left in moved.items():
            self._update_table(band, left)
        for move in plan.moves:
            self._shrink(move.band)
        self._steps[plan.step] += 1
        return Grant(ids, plan)

    def _refuse(self, refusal: Refusal) -> Refusal:
        self._refusals[refusal.reason] += 1
        if self.record:
            self.record(
                records.Refused(refusal.reason, list(refusal.tickets), list(refusal.publishers), list(refusal.evict))
            )
        return refusal

    def _hand_out(self, band: int, count: int, moved: Int64) -> Int64:
        space, pages = self._ids[band], self._bands[band].take_holes(count)
        ids = space.mint(count)
        self._bands[band].settle_in(pages, ids)
        space.page_of[ids] = pages
        space.references[ids] = 1
        self._counters[band].allocated += count
        if self.record:
            self.record(records.Allocated(band, pages.tolist(), ids.tolist()))
        self._update_table(band, np.concatenate((moved, ids)) if moved.size else ids)
        return ids

    # ------------------------------------------------------------------------------------------------------ references

    def share(self, band: int, ids: Any) -> None:
        """One more reference to each of these virtual pages; an id named twice gains two."""
        band = self._checked_band(band)
        ids = self._alive(band, ids)
        self._calls += 1
        references = self._ids[band].references
        if self._sieves[band].once(ids) is ids:
            references[ids] += 1
        else:
            np.add.at(references, ids, 1)

    def release(self, band: int, ids: Any) -> None:
        """One reference less to each of these virtual pages; an id named twice loses two.

        The last one frees the page: it becomes a hole, or is withheld while any ticket holds it.
        """
        band = self._checked_band(band)
        ids = self._alive(band, ids)
        references = self._ids[band].references
        once = self._sieves[band].once(ids)
        if once is ids:
            left = references[ids] - 1
        else:
            once, named = np.unique(ids, return_counts=True)
            left = references[once] - named
            if once.size and smallest(left) < 0:
                worst = int(once[left.argmin()])
                raise Misuse("ids", worst, "named more often than it has references", "release each reference once")
        self._calls += 1
        references[once] = left
        freed = once[left == 0]
        if freed.size:
            self._free(band, freed)

    def _free(self, band: int, ids: Int64) -> None:
        pages, holders = self._bands[band], self._ledger.bands[band]
        vacated = self._ids[band].page_of[ids]
        self._counters[band].freed += ids.size
        held = holders.holders[vacated] > 0 if holders.entries else None
        if held is None or not np.count_nonzero(held):
            pages.vacate(vacated, None)
            self._ids[band].recycle(ids)
        else:
            pages.vacate(vacated, held)
            # an id that a ticket was given comes back with its page
            self._ids[band].recycle(ids[~held])
        self._shrink(band)

    # --------------------------------------------------------------------------------------------------------- tickets

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """A new ticket for a piece of device work; tickets are numbered upwards.

        Args:
            user: `forward`, `copy` (a host copy) or `transfer` (over the network).
            stream: where it runs, behind everything that was opened on it before; none for a transfer.
            waits: other tickets for which it waits; none for a transfer, and no transfer among them.
        """
        ticket = self._ledger.open(user, stream, waits, self._calls)
        self._calls += 1
        return ticket.number

    def hold(self, ticket: int, band: int, ids: Any, mode: str) -> Int64:
        """Give a ticket the physical pages of virtual pages; it keeps them, whatever happens, until it retires.

        Args:
            ticket: outstanding.
            band: of the ids.
            ids: alive; for writing, with a sole reference.
            mode: `read` or `write`.  Holding a page again keeps the stronger mode.

        Returns:
            The physical pages, one for each id.
        """
        holder = self._ledger.ticket(ticket)
        band = self._checked_band(band)
        level = MODES.get(mode) if isinstance(mode, str) else None
        if level is None:
            raise Misuse("mode", mode, "unknown", "give read or write")
        ids = self._alive(band, ids)
        if not ids.size:
            self._calls += 1
            return NOTHING
        if level == WRITE:
            references = self._ids[band].references[ids]
            most = int(references.argmax())
            if references[most] > 1:
                raise Misuse("ids", int(ids[most]), "is shared, and writing needs a sole reference", "copy it first")
        pages: Int64 = self._ids[band].page_of[ids]
        self._ledger.check_hold(holder, band, pages, level)
        self._calls += 1
        self._ledger.hold(holder, band, pages, level)
        return pages

    def complete(self, ticket: int) -> None:
        """The work of a ticket is observed to be over, and everything that it wrote has landed."""
        holder = self._ledger.ticket(ticket)
        self._calls += 1
        self._retire(holder, settled=False)

    def settle(self, ticket: int) -> None:
        """Make the allocator's stream wait for a ticket: for all that is ordered behind it, its work is over."""
        holder = self._settleable(ticket)
        self._calls += 1
        self._settled += 1
        self.device.wait_for(ticket)
        self._retire(holder, settled=True)

    def drain(self) -> None:
        """The allocator's stream is observed to have caught up: nothing is queued on any page any more."""
        self._calls += 1
        for holders in self._ledger.bands:
            holders.drain()

    def _settle(self, holder: Ticket) -> None:
        self._settled += 1
        self.device.wait_for(holder.number)
        if self.record:
            self.record(records.Settled(holder.number))
        self._retire(holder, settled=True)

    def _retire(self, holder: Ticket, settled: bool) -> None:
        for band, pages in self._ledger.retire(holder, settled):
            table = self._bands[band]
            if not table.withheld:
                continue
            free = pages[(table.states[pages] == WITHHELD) & (self._ledger.bands[band].holders[pages] == 0)]
            if free.size:
                table.give_back(free)
                self._ids[band].recycle(table.id_at[free])
                self._shrink(band)

    # -------------------------------------------------------------------------------------------------------- the gate

    def publish(self, who: str) -> None:
        """Someone gives addresses to a peer: until it takes them back, no page of any kind moves."""
        self._checked_name(who)
        self._calls += 1
        self._publishers[who] = None

    def unpublish(self, who: str) -> None:
        """Someone takes its addresses back."""
        self._checked_name(who)
        if who not in self._publishers:
            raise Misuse("who", who, "has published nothing", "unpublish once for each who published")
        self._calls += 1
        del self._publishers[who]

    # ---------------------------------------------------------------------------------------------------------- moving

    def compact(self, budget_bytes: int) -> int:
        """Move live pages into holes of their own band, so that spans retreat and gaps widen.

        Args:
            budget_bytes: the most bytes that may be moved.

        Returns:
            The bytes that were moved; 0 while anybody has published addresses.
        """
        budget = as_count(budget_bytes, "budget_bytes")
        self._calls += 1
        left = budget
        if self._publishers:
            return 0
        anchored = self.chain.bottom, self.chain.top
        last = len(self._bands) - 1
        for band, pages in enumerate(self._bands):
            size = pages.geometry.page_bytes
            sides = (anchored[0] if band == 0 else -1, anchored[1] if band == last else -1)
            moves = compacting_moves(pages, self._ledger.pins(band), left // size, sides)
            if moves is None:
                continue
            self._move(band, *moves)
            self._update_table(band, self._ids_at(band, moves[1]))
            self._shrink(band)
            left -= moves[0].size * size
        return budget - left

    def _lay_out(self, plan: Plan) -> None:
        """Let every band have the span that the plan gives it, by single steps that are legal one after the other."""
        moves = {move.band: move for move in plan.moves}
        for band in in_legal_order([(pages.lo, pages.hi) for pages in self._bands], plan.spans):
            lo, hi = plan.spans[band]
            pages = self._bands[band]
            if pages.lo == pages.hi and lo < hi and 0 < band < len(self._bands) - 1:
                pages.appear(lo)
                if self.record:
                    self.record(records.Appeared(band, lo))
            # first as large as both, so that every page that moves finds its hole, then as small as it may be
            self._grow(band, lo, hi)
            if band in moves:
                self._move(band, moves[band].sources, moves[band].targets)
            self._absorb(band, lo, hi)

    def _grow(self, band: int, lo: int, hi: int) -> None:
        pages = self._bands[band]
        if lo < pages.lo:
            count = pages.lo - lo
            pages.grow_low(count)
            if self.record:
                self.record(records.GrewLow(band, count))
        if hi > pages.hi:
            count = hi - pages.hi
            pages.grow_high(count)
            if self.record:
                self.record(records.GrewHigh(band, count))

    def _absorb(self, band: int, lo: int, hi: int) -> None:
        pages = self._bands[band]
        if lo > pages.lo:
            count = lo - pages.lo
            pages.absorb_low(count)
            if self.record:
                self.record(records.AbsorbedLow(band, count))
        if hi < pages.hi:
            count = pages.hi - hi
            pages.absorb_high(count)
            if self.record:
                self.record(records.AbsorbedHigh(band, count))

    def _shrink(self, band: int) -> None:
        """Give up the holes at the sides of a span."""
        pages = self._bands[band]
        if not pages.has_free_edge():
            return
        self._absorb(band, *pages.tight_span())

    def _move(self, band: int, sources: Int64, targets: Int64) -> None:
        pages, holders = self._bands[band], self._ledger.bands[band]
        assert not self._publishers, "nothing moves while somebody has published addresses"
        assert not np.count_nonzero(holders.holders[sources]), "pages that are held stay"
        self.device.move_pages(band, sources, targets)
        if self.record:
            self.record(records.Moved(band, sources.tolist(), targets.tolist()))
        ids = pages.id_at[sources]
        pages.settle_in(targets, ids)
        pages.vacate(sources, None)
        self._ids[band].page_of[ids] = targets
        holders.enqueue(targets, WRITE)
        holders.enqueue(sources, READ)
        self._counters[band].moved += sources.size

    def _ids_at(self, band: int, pages: Int64) -> Int64:
        ids: Int64 = self._bands[band].id_at[pages]
        return ids

    def _update_table(self, band: int, ids: Int64) -> None:
        self.device.update_table(band, ids, self._ids[band].page_of[ids])

    # ---------------------------------------------------------------------------------------------------------- checks

    def check(self) -> None:
        """Assert every invariant of the tables, page by page; for tests."""
        check_tables(self.chain, self._bands, self._ids, self._ledger)

    def _alive(self, band: int, ids: Any) -> Int64:
        space = self._ids[band]
        alive = as_ids(ids, "ids", space.limit)
        if alive.size:
            references = space.references[alive]
            least = int(references.argmin())
            if references[least] < 1:
                raise Misuse("ids", int(alive[least]), "is not alive", "name virtual pages that have a reference")
        return alive

    def _checked_band(self, band: int) -> int:
        if type(band) is int and 0 <= band < len(self._bands):
            return band
        remedy = f"give a number from 0 to {len(self._bands) - 1}, as `band` tells by name"
        raise Misuse("band", band, "no such band", remedy)

    def _checked_demand(self, demand: Any) -> tuple[int, ...]:
        names = self.chain.names
        if isinstance(demand, Mapping):
            unknown = sorted(str(name) for name in demand if name not in names)
            if unknown:
                raise Misuse("demand", unknown[0], "no such kind", f"give some of {', '.join(names)}")
            demand = [demand.get(name, 0) for name in names]
        try:
            demand = tuple(demand)
        except TypeError:
            raise Misuse("demand", demand, "not a sequence", "give one count for each band") from None
        if len(demand) != len(names):
            problem = f"{len(demand)} counts for {len(names)} bands"
            raise Misuse("demand", demand, problem, f"give one count for each of {', '.join(names)}")
        return tuple([as_count(count, "demand") for count in demand])

    def _checked_settle(self, settle: Iterable[int]) -> tuple[int, ...]:
        if not settle:
            return ()
        return tuple(dict.fromkeys(self._settleable(number).number for number in settle))

    def _settleable(self, number: Any) -> Ticket:
        ticket = self._ledger.ticket(number)
        if ticket.is_transfer:
            raise Misuse("ticket", number, "no stream can wait for a transfer", "complete it once it is over")
        return ticket

    def _checked_name(self, who: Any) -> None:
        if not isinstance(who, str):
            raise Misuse("who", who, "not a name", "give a string")
