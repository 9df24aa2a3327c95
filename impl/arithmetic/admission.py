"""Admission by arithmetic alone: whether a chain can host what its bands need, at any layout at all.

Packing every band but the last as low as it goes leaves the last the most room, because a band that begins lower never
has to end higher. So one packing decides: if it fails, no layout exists.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from impl.arithmetic.choice import both, select
from impl.arithmetic.grid import first_page_from, pages_until
from impl.arithmetic.placement import place_high, place_low


class Needs(NamedTuple):
    """What a band must be given: its grid (bytes), its least count of pages, and the extent of its pinned pages."""

    origin: int
    size: int
    need: int
    pin_lo: int
    pin_hi: int


Needed: TypeAlias = tuple[int, int, int, int, int]
"""The same without names, for where it is made often."""


def feasible(base: int, capacity: int, chain: Sequence[Needed]) -> bool:
    """Whether the bands, in address order, fit into the bytes base <= byte < capacity."""
    free = base
    fits = True
    for band in chain[:-1]:
        _, _, free, placed = place_low(free, *band)
        fits = both(fits, placed)
    _, _, start, placed = place_high(capacity, *chain[-1])
    return both(both(fits, placed), free <= start)


def free_from(base: int, chain: Sequence[Needed]) -> list[int]:
    """For each band, the first byte that is free when all bands below it are packed as low as they go."""
    free = [base]
    for band in chain[:-1]:
        free.append(place_low(free[-1], *band)[2])
    return free


def free_until(capacity: int, chain: Sequence[Needed]) -> list[int]:
    """For each band, the byte at which the bands above it start when they are packed as high as they go."""
    limits = [capacity]
    for band in reversed(chain[1:]):
        limits.append(place_high(limits[-1], *band)[2])
    return limits[::-1]


def least_eviction(free: int, limit: int, origin: int, size: int, live: int, demand: int) -> tuple[int, bool]:
    """The least count of live pages that a band must give up to fit, with its demand, between two bytes.

    Nothing of the band is pinned.

    Returns:
        The count, at most `live`, and whether giving it up suffices.
    """
    room = pages_until(origin, size, limit) - first_page_from(origin, size, free)
    over = live + demand - room
    least = select(over > 0, over, 0)
    # a band that is left with nothing needs no whole page between the two bytes, only that they are in order
    count = select(both(demand == 0, least > live), live, least)
    return count, both(free <= limit, count <= live)
