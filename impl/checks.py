"""What must be true of an allocator's tables between two calls, checked page by page."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from impl.band import Band
from impl.chain import Chain
from impl.holders import Holders
from impl.ids import IdSpace
from impl.ledger import NO_EXTENT, Ledger
from impl.numbers import largest, smallest
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
    name, lo, hi = pages.geometry.name, pages.lo, pages.hi
    # as bytes, which are counted and searched fastest
    states = pages.states.tobytes()
    assert states.count(OUTSIDE, 0, lo) == lo, f"{name}: a page below the span has a state"
    assert states.count(OUTSIDE, hi) == len(states) - hi, f"{name}: a page above the span has a state"
    assert not states.count(OUTSIDE, lo, hi), f"{name}: a page of the span counts as outside"
    assert pages.live == states.count(LIVE), f"{name}: live pages miscounted"
    assert pages.withheld == states.count(WITHHELD), f"{name}: withheld pages miscounted"
    assert not pages.has_free_edge(), f"{name}: the span is larger than it need be"
    assert pages.in_use or lo == hi, f"{name}: the span holds nothing and is not empty"
    if pages.live:
        extent = states.find(LIVE), states.rfind(LIVE) + 1
        assert (pages.live_lo, pages.live_hi) == extent, f"{name}: the extent of live pages is wrong"
    stacked, is_stacked = pages.stacked(), np.zeros(len(states), np.bool_)
    is_stacked[stacked] = True
    assert np.count_nonzero(is_stacked) == stacked.size, f"{name}: a page is on the stack of holes twice"
    listed = np.count_nonzero(is_stacked & (pages.states == HOLE))
    assert listed == states.count(HOLE), f"{name}: a hole is missing from the stack"


def _check_ids(pages: Pages, space: IdSpace) -> None:
    name = pages.geometry.name
    alive = space.references.nonzero()[0]
    assert smallest(space.references) >= 0, f"{name}: an id has fewer than no references"
    assert alive.size == pages.live, f"{name}: {alive.size} ids are alive at {pages.live} live pages"
    homes = space.page_of[alive]
    assert _are_same(pages.id_at[homes], alive), f"{name}: page table and its inverse differ"
    assert pages.states[homes].tobytes().count(LIVE) == alive.size, f"{name}: an id lives at a page that is not live"
    withheld = pages.pages_that_are(WITHHELD, pages.lo, pages.hi)
    known = np.concatenate((alive, pages.id_at[withheld], space.mintable()))
    known.sort()
    every = np.arange(pages.geometry.first, space.limit)
    assert _are_same(known, every), f"{name}: an id is lost or may be minted twice"


def _check_holders(pages: Pages, holders: Holders, ledger: Ledger, band: int) -> None:
    name = pages.geometry.name
    counted, writing = np.zeros_like(holders.holders), np.zeros_like(holders.writers)
    entries, extent = 0, NO_EXTENT
    for ticket in ledger.tickets.values():
        holding = ticket.holdings[band]
        if holding is not None:
            held = holding.all_pages()
            counted[held] += 1
            entries += held.size
            # a page that is named twice counts once
            assert counted.sum() == entries, f"{name}: ticket {ticket.number} holds a page twice"
            bounds = smallest(held), largest(held) + 1
            assert (holding.lo, holding.hi) == bounds, f"{name}: a holding's extent is wrong"
            writing[holding.all_written()] += 1
            lo, hi = extent
            extent = (min(lo, holding.lo), max(hi, holding.hi)) if lo < hi else bounds
    assert _are_same(counted, holders.holders), f"{name}: holders miscounted"
    assert _are_same(writing, holders.writers), f"{name}: writers miscounted"
    assert holders.entries == entries, f"{name}: entries miscounted"
    assert ledger.pins(band) == extent, f"{name}: the extent of what is held is wrong"
    assert not np.count_nonzero(pages.states[counted > 0] < LIVE), f"{name}: a free page is held"
    assert np.count_nonzero(counted[pages.states == WITHHELD]) == pages.withheld, (
        f"{name}: a page is withheld for nobody"
    )


def _are_same(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Whether two arrays of one dtype are equal."""
    return one.tobytes() == other.tobytes()
