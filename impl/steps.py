"""The steps of an allocator: what it does to its tables and to the device, and what it writes down of it.

Every change of the layout, every page that is handed out or moved, passes through here, in the order in which it
happens. A band is named by its position in the chain.
"""

from collections.abc import Sequence

import numpy as np

from impl.band import Band
from impl.device.protocol import Device
from impl.drafts import Note, drafts
from impl.holders import READ, WRITE
from impl.ledger import Extent, Ledger, Ticket
from impl.numbers import NOTHING, ONE, Int64
from impl.plan import Plan
from impl.relayout import in_legal_order


class Steps:
    """Page actions on the bands of one allocator."""

    def __init__(self, bands: Sequence[Band], ledger: Ledger, device: Device) -> None:
        self.note: Note | None = None
        self._bands, self._ledger, self._device = bands, ledger, device

    # ------------------------------------------------------------------------------------------------- whole sequences

    def carry_out(self, plan: Plan, *, wipe: bool = False) -> tuple[Int64, ...]:
        """Settle, grow, move and absorb as planned, and hand out the demand; the new ids of each band.

        With `wipe` new pages that are no copies begin as zeros.
        """
        for number in plan.settle:
            ticket = self._ledger.tickets[number]
            self._device.wait_for(number)
            if self.note:
                self.note(drafts.Settled(number))
            self.retire(ticket, settled=True)
        if plan.moves:
            self._lay_out(plan)
        # each page table is updated once, with what moved and what is new
        moved = {move.band: self._bands[move.band].pages.id_at[move.targets] for move in plan.moves}
        given = []
        originals = plan.originals or (NOTHING,) * len(self._bands)
        for band, count, span, copied in zip(self._bands, plan.demand, plan.spans, originals, strict=True):
            ids = self._hand_out(band, count, span, copied, wipe) if count else NOTHING
            given.append(ids)
            number = band.geometry.number
            changed = np.concatenate((moved[number], ids)) if number in moved else ids
            if changed.size:
                self._device.update_table(number, changed, band.ids.page_of[changed])
        for move in plan.moves:
            self.shrink(move.band)
        return tuple(given)

    def compact(self, band: int, sources: Int64, targets: Int64) -> None:
        """Move pages of a band, and let its span retreat."""
        pages = self._bands[band].pages
        self._move(band, sources, targets)
        self._device.update_table(band, pages.id_at[targets], targets)
        self.shrink(band)
        pages.list_holes(sources)

    def retire(self, ticket: Ticket, *, settled: bool) -> None:
        """Strike out a ticket, and give back what was withheld for nobody else."""
        for number, let_go in self._ledger.retire(ticket, settled=settled):
            band = self._bands[number]
            pages = band.pages
            if not pages.withheld:
                continue
            free = pages.withheld_among(let_go)
            if free.size:
                pages.give_back(free)
                band.ids.recycle(pages.id_at[free])
                self.shrink(number)
                pages.list_holes(free)

    def free(self, number: int, ids: Int64) -> None:
        """Distinct ids without a reference give up their pages; an id whose page is held comes back with that page."""
        band = self._bands[number]
        pages, holders = band.ids.page_of[ids], band.holders
        band.counters.freed += ids.size
        if holders.entries:
            held = holders.are_held(pages)
            count = np.count_nonzero(held)
            if count == pages.size:
                band.pages.withhold(pages)
                return
            if count:
                band.pages.withhold(pages[held])
                pages, ids = pages[~held], ids[~held]
        band.pages.vacate(pages)
        band.ids.recycle(ids)
        self.shrink(number)
        band.pages.list_holes(pages)

    def _lay_out(self, plan: Plan) -> None:
        """Give every band the span that the plan says, by steps that are legal one after the other."""
        moves = {move.band: move for move in plan.moves}
        for number in in_legal_order([(band.pages.lo, band.pages.hi) for band in self._bands], plan.spans):
            lo, hi = plan.spans[number]
            pages = self._bands[number].pages
            # first as large as both, so that every page that moves finds its hole, then as small as it may be
            pages.make_holes(self._grow(number, lo, hi))
            if number in moves:
                self._move(number, moves[number].sources, moves[number].targets)
            self._absorb(number, lo, hi)
            if number in moves:
                pages.list_holes(moves[number].sources)
            assert (pages.lo, pages.hi) == (lo, hi), "a band ends up with its planned span"

    # ---------------------------------------------------------------------------------------------------- single steps

    def shrink(self, band: int) -> None:
        """Give up the holes at the sides of a span."""
        pages = self._bands[band].pages
        if pages.has_free_edge():
            self._absorb(band, *pages.tight_span())

    def _grow(self, band: int, lo: int, hi: int) -> Int64:
        """Let a span reach at least from lo to hi; what it gained, next to the old span first."""
        pages = self._bands[band].pages
        fresh = []
        if pages.lo == pages.hi and not (pages.low_end or pages.high_end):
            fresh.append(pages.appear(lo))
            if self.note:
                self.note(drafts.Appeared(band, lo))
        below, above = pages.lo - lo, hi - pages.hi
        if below > 0:
            fresh.append(pages.grow_low(below))
            if self.note:
                self.note(drafts.GrewLow(band, below))
        if above > 0:
            fresh.append(pages.grow_high(above))
            if self.note:
                self.note(drafts.GrewHigh(band, above))
        return fresh[0] if len(fresh) == 1 else np.concatenate(fresh) if fresh else NOTHING

    def _absorb(self, band: int, lo: int, hi: int) -> None:
        pages = self._bands[band].pages
        below, above = lo - pages.lo, pages.hi - hi
        if below > 0:
            pages.absorb_low(below)
            if self.note:
                self.note(drafts.AbsorbedLow(band, below))
        if above > 0:
            pages.absorb_high(above)
            if self.note:
                self.note(drafts.AbsorbedHigh(band, above))

    def _move(self, number: int, sources: Int64, targets: Int64) -> None:
        band = self._bands[number]
        assert not np.count_nonzero(band.holders.holders[sources]), "pages that are held stay"
        self._device.move_pages(number, sources, targets)
        if self.note:
            self.note(drafts.Moved(number, sources.tobytes(), targets.tobytes()), sources.nbytes)
        ids = band.pages.id_at[sources]
        band.pages.settle_in(targets, ids)
        band.pages.vacate(sources)
        band.ids.page_of[ids] = targets
        band.holders.enqueue(targets, WRITE)
        band.holders.enqueue(sources, READ)
        band.counters.moved += sources.size

    def _hand_out(self, band: Band, count: int, span: Extent, originals: Int64, wipe: bool) -> Int64:
        """Let a span reach from lo to hi, and make what it gained and some holes live; their ids.

        The first of them begin as copies of the originals, the others perhaps as zeros.
        """
        number, pages = band.geometry.number, band.pages
        within = pages.lo <= span[0] and span[1] <= pages.hi
        fresh = NOTHING if within else self._grow(number, *span)
        assert fresh.size <= count, "a span grows by no more than the demand"
        listed = pages.take_holes(count - fresh.size)
        homes = fresh if not listed.size else np.concatenate((listed, fresh)) if fresh.size else listed
        ids = band.ids.mint(count)
        pages.settle_in(homes, ids)
        band.ids.page_of[ids] = homes
        band.ids.references[ids] = ONE
        band.counters.allocated += count
        copies = originals.size
        if copies:
            self._copy(band, homes[:copies], ids[:copies], originals)
        if copies < count:
            plain = homes[copies:]
            if wipe:
                self._device.wipe_pages(number, plain)
                band.holders.enqueue(plain, WRITE)
            if self.note:
                handed_out = drafts.Wiped if wipe else drafts.Allocated
                self.note(handed_out(number, plain.tobytes(), ids[copies:].tobytes()), plain.nbytes)
        return ids

    def _copy(self, band: Band, homes: Int64, ids: Int64, originals: Int64) -> None:
        """Let new virtual pages show what others show."""
        number, holders = band.geometry.number, band.holders
        sources = band.ids.page_of[originals]
        assert not np.count_nonzero(holders.writers[sources]), "nobody writes what is copied"
        self._device.move_pages(number, sources, homes)
        if self.note:
            self.note(drafts.Forked(number, homes.tobytes(), ids.tobytes(), originals.tobytes()), homes.nbytes)
        holders.enqueue(homes, WRITE)
        holders.enqueue(band.sieve.once(sources), READ)
        band.counters.copied += homes.size
