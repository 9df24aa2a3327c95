"""What must be true of an allocator's tables between two calls, checked page by page."""

from collections.abc import Sequence

import numpy as np

from impl.band import Band
from impl.chain import Chain
from impl.holders import Holders
from impl.ids import IdSpace
from impl.ledger import NO_EXTENT, Ledger
from impl.pages import HOLE, LIVE, OUTSIDE, WITHHELD, Pages


def check_tables(chain: Chain, bands: Sequence[Band], ledger: Ledger) -> None:
    """Assert that spans are in order and tight, and that every table agrees with every other.

    Raises:
        AssertionError: one does not.
    """
    end = chain.base
    for band in bands:
        pages, geometry = band.pages, band.geometry
        if pages.lo < pages.hi:
            assert end <= geometry.origin + pages.lo * geometry.page_bytes, f"{geometry.name} begins in another span"
            end = geometry.origin + pages.hi * geometry.page_bytes
        _check_pages(pages)
        _check_ids(pages, band.ids)
        _check_holders(pages, band.holders, ledger, geometry.number)
    assert end <= chain.capacity, "the last span ends outside the arena"
    assert bands[0].pages.lo == chain.bottom, "the first band begins at the bottom"
    assert bands[-1].pages.hi == chain.top, "the last band ends at the top"


def _check_pages(pages: Pages) -> None:
    name, states = pages.geometry.name, pages.states
    assert not states[: pages.lo].any(), f"{name}: a page below the span has a state"
    assert not states[pages.hi :].any(), f"{name}: a page above the span has a state"
    inside = states[pages.lo : pages.hi]
    assert not (inside == OUTSIDE).any(), f"{name}: a page of the span counts as outside"
    assert pages.live == np.count_nonzero(inside == LIVE), f"{name}: live pages miscounted"
    assert pages.withheld == np.count_nonzero(inside == WITHHELD), f"{name}: withheld pages miscounted"
    assert not pages.has_free_edge(), f"{name}: the span is larger than it need be"
    assert pages.in_use or not inside.size, f"{name}: the span holds nothing and is not empty"
    live = np.flatnonzero(states == LIVE)
    if live.size:
        assert (pages.live_lo, pages.live_hi) == (live[0], live[-1] + 1), f"{name}: the extent of live pages is wrong"
    stacked = np.bincount(pages.stacked(), minlength=states.size)
    assert stacked.max() <= 1, f"{name}: a page is on the stack of holes twice"
    assert stacked[states == HOLE].all(), f"{name}: a hole is missing from the stack"


def _check_ids(pages: Pages, space: IdSpace) -> None:
    name = pages.geometry.name
    alive = np.flatnonzero(space.references)
    assert (space.references >= 0).all(), f"{name}: an id has fewer than no references"
    live = pages.pages_that_are(LIVE, pages.lo, pages.hi)
    assert alive.size == live.size, f"{name}: {alive.size} ids are alive at {live.size} live pages"
    assert (pages.id_at[space.page_of[alive]] == alive).all(), f"{name}: page table and its inverse differ"
    assert (pages.states[space.page_of[alive]] == LIVE).all(), f"{name}: an id lives at a page that is not live"
    withheld = pages.pages_that_are(WITHHELD, pages.lo, pages.hi)
    known = np.concatenate((alive, pages.id_at[withheld], space.mintable()))
    every = np.arange(pages.geometry.first, space.limit)
    assert np.array_equal(np.sort(known), every), f"{name}: an id is lost or may be minted twice"


def _check_holders(pages: Pages, holders: Holders, ledger: Ledger, band: int) -> None:
    name = pages.geometry.name
    counted, writing = np.zeros_like(holders.holders), np.zeros_like(holders.writers)
    extent = NO_EXTENT
    for ticket in ledger.tickets.values():
        holding = ticket.holdings[band]
        if holding is not None:
            held = holding.all_pages()
            times = np.bincount(held, minlength=counted.size)
            assert times.max() == 1, f"{name}: ticket {ticket.number} holds a page twice"
            assert (holding.lo, holding.hi) == (held.min(), held.max() + 1), f"{name}: a holding's extent is wrong"
            counted += times
            writing[holding.all_written()] += 1
            lo, hi = extent
            extent = (min(lo, holding.lo), max(hi, holding.hi)) if lo < hi else (holding.lo, holding.hi)
    assert np.array_equal(counted, holders.holders), f"{name}: holders miscounted"
    assert np.array_equal(writing, holders.writers), f"{name}: writers miscounted"
    assert holders.entries == counted.sum(), f"{name}: entries miscounted"
    assert ledger.pins(band) == extent, f"{name}: the extent of what is held is wrong"
    assert (pages.states[counted > 0] >= LIVE).all(), f"{name}: a free page is held"
    assert (counted[pages.states == WITHHELD] > 0).all(), f"{name}: a page is withheld for nobody"
