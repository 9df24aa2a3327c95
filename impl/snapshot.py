"""An allocator's tables as records of a trace."""

from collections.abc import Iterable, Sequence

import numpy as np

from events.records import VERSION, Band, BandState, Entry, Header, Snapshot, TicketState
from impl.chain import Chain
from impl.holders import READ, WRITE, Holders
from impl.ids import IdSpace
from impl.ledger import Ledger, Ticket
from impl.pages import LIVE, WITHHELD, Pages

PRODUCER = "bandgap"


def header_of(chain: Chain) -> Header:
    """What never changes."""
    bands = [Band(band.name, band.page_bytes, band.origin, band.page_tokens) for band in chain.bands]
    return Header(VERSION, PRODUCER, chain.model, bands, chain.base, chain.capacity, chain.bottom, chain.top)


def snapshot_of(bands: Sequence[Pages], ids: Sequence[IdSpace], ledger: Ledger, publishers: Iterable[str]) -> Snapshot:
    """What changes; pages and tickets rising."""
    return Snapshot(
        [_band_state(*tables) for tables in zip(bands, ids, ledger.bands, strict=True)],
        [_ticket_state(ticket, bands, ledger) for ticket in ledger.tickets.values()],
        dict(sorted(ledger.tails().items())),
        ledger.next_ticket,
        sorted(publishers),
    )


def _band_state(pages: Pages, ids: IdSpace, holders: Holders) -> BandState:
    live = pages.pages_that_are(LIVE, pages.lo, pages.hi)
    names = pages.id_at[live]
    return BandState(
        pages.lo,
        pages.hi,
        live.tolist(),
        names.tolist(),
        ids.references[names].tolist(),
        pages.pages_that_are(WITHHELD, pages.lo, pages.hi).tolist(),
        holders.on_queue(READ).tolist(),
        holders.on_queue(WRITE).tolist(),
    )


def _ticket_state(ticket: Ticket, bands: Sequence[Pages], ledger: Ledger) -> TicketState:
    entries = []
    for band, holding in enumerate(ticket.holdings):
        if holding is not None:
            pages = np.sort(holding.all_pages())
            written = ledger.bands[band].among(pages, holding.all_written())
            # a page that is held keeps the id for which it was given: it lives there, or was the last to live there
            for page, name, writes in zip(
                pages.tolist(), bands[band].id_at[pages].tolist(), written.tolist(), strict=True
            ):
                entries.append(Entry(band, page, "write" if writes else "read", name))
    after = sorted(ticket.after & ledger.tickets.keys())
    return TicketState(ticket.number, ticket.user, ticket.stream, after, entries)
