"""An allocator's tables as records of a trace."""

from collections.abc import Iterable, Sequence

import numpy as np

from events import records
from events.records import VERSION, BandState, Entry, Header, Snapshot, TicketState
from impl.band import Band
from impl.chain import Chain
from impl.holders import READ, WRITE
from impl.ledger import Ledger, Ticket
from impl.pages import LIVE, WITHHELD

PRODUCER = "bandgap"


def header_of(chain: Chain) -> Header:
    """What never changes."""
    bands = [records.Band(band.name, band.page_bytes, band.origin, band.page_tokens) for band in chain.bands]
    return Header(VERSION, PRODUCER, chain.model, bands, chain.base, chain.capacity, chain.bottom, chain.top)


def snapshot_of(bands: Sequence[Band], ledger: Ledger, publishers: Iterable[str]) -> Snapshot:
    """What changes; pages and tickets rising."""
    return Snapshot(
        [_band_state(band) for band in bands],
        [_ticket_state(ticket, bands, ledger) for ticket in ledger.tickets.values()],
        dict(sorted(ledger.tails().items())),
        ledger.next_ticket,
        sorted(publishers),
    )


def _band_state(band: Band) -> BandState:
    pages = band.pages
    live = pages.pages_that_are(LIVE, pages.lo, pages.hi)
    ids = pages.id_at[live]
    return BandState(
        pages.lo,
        pages.hi,
        live.tolist(),
        ids.tolist(),
        band.ids.references[ids].tolist(),
        pages.pages_that_are(WITHHELD, pages.lo, pages.hi).tolist(),
        band.holders.on_queue(READ).tolist(),
        band.holders.on_queue(WRITE).tolist(),
    )


def _ticket_state(ticket: Ticket, bands: Sequence[Band], ledger: Ledger) -> TicketState:
    entries = []
    for band, holding in zip(bands, ticket.holdings, strict=True):
        if holding is not None:
            pages = np.sort(holding.all_pages())
            writes = band.holders.among(pages, holding.all_written())
            # a page that is held keeps the id for which it was given: it lives there, or was the last to live there
            ids = band.pages.id_at[pages]
            for page, name, writing in zip(pages.tolist(), ids.tolist(), writes.tolist(), strict=True):
                entries.append(Entry(band.geometry.number, page, "write" if writing else "read", name))
    after = sorted(ticket.after & ledger.tickets.keys())
    return TicketState(ticket.number, ticket.user, ticket.stream, after, entries)
