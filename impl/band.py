"""Everything that is known about one band."""

from dataclasses import dataclass

from impl.chain import BandGeometry, Chain
from impl.counters import KindCounters
from impl.holders import Holders
from impl.ids import IdSpace
from impl.numbers import Sieve
from impl.pages import Pages


@dataclass(slots=True, eq=False)
class Band:
    """The tables of one band: its pages, its ids, and who uses them."""

    geometry: BandGeometry
    pages: Pages
    ids: IdSpace
    holders: Holders
    sieve: Sieve
    """Of ids and pages of any band."""
    counters: KindCounters


def empty_bands(chain: Chain) -> tuple[Band, ...]:
    """The bands of an arena in which nothing is in use."""
    first, last = chain.bands[0], chain.bands[-1]
    sieve = Sieve(max(geometry.limit for geometry in chain.bands))
    return tuple(
        Band(
            geometry,
            Pages(geometry, low_end=geometry is first, high_end=geometry is last),
            IdSpace(geometry.first, geometry.limit),
            Holders(geometry.limit, sieve),
            sieve,
            KindCounters(),
        )
        for geometry in chain.bands
    )
