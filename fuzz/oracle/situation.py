"""What matters for admission, taken from the judge's state before a call."""

from collections.abc import Sequence, Set

from fuzz.oracle.packing import Chain, Wanted, fits
from spec.judge.arena import JudgedArena
from spec.state import LIVE

Extent = tuple[int, int]
"""Pages first <= page < end; equal if there is none."""

NO_PAGE: Extent = (0, 0)

NOBODY: Set[int] = frozenset()

IN_PLACE, COMPACT_ENDS, RELAYOUT = 1, 2, 3
"""The steps: no page moves; pages of the two end bands may; those of floats too."""


class Situation:
    """An arena before a demand: which pages live, which are held and by whom, and whether somebody has published."""

    def __init__(self, s: JudgedArena) -> None:
        bands = range(s.bands)
        self.chain = Chain(s.address.origins, s.address.sizes, s.base, s.capacity, s.bottom, s.top)
        self.publishers = frozenset(s.published)
        live: list[list[int]] = [[] for _ in bands]
        # of each band the holders of each withheld page
        self._withheld: list[dict[int, set[int]]] = [{} for _ in bands]
        for (band, page), status in s.status.items():
            if status == LIVE:
                live[band].append(page)
            else:
                self._withheld[band][page] = set()
        held: dict[tuple[int, int], list[int]] = {}
        for ticket, band, page in s.held:
            if (ticket, band) in held:
                held[ticket, band].append(page)
            else:
                held[ticket, band] = [page]
            if page in self._withheld[band]:
                self._withheld[band][page].add(ticket)
        self.live = [len(pages) for pages in live]
        """How many pages of each band live."""
        self.holders = frozenset(ticket for ticket, _ in held)
        """The tickets that hold any page."""
        self._living = [_extent(pages) for pages in live]
        # of each band the extent of what each ticket holds
        self._held: list[list[tuple[int, Extent]]] = [[] for _ in bands]
        for (ticket, band), pages in held.items():
            self._held[band].append((ticket, _extent(pages)))
        # what each band must have without any demand, for each question that was asked; and that with no move allowed
        # and with all of them, for each set of tickets
        self._floors: dict[tuple[int, Set[int]], list[Wanted]] = {}
        self._left_behind: dict[Set[int], list[tuple[Wanted, Wanted]]] = {}

    def is_feasible(
        self, demand: Sequence[int], step: int, retired: Set[int] = NOBODY, gate_open: bool = False
    ) -> bool:
        """Whether there is a layout for a demand with the moves of a step, once these tickets have retired.

        Args:
            demand: pages of each band.
            step: whose pages may move; while somebody has published addresses none may.
            retired: tickets that hold nothing any more.
            gate_open: whether to take it that nobody has published anything.
        """
        if self.publishers and not gate_open:
            step = IN_PLACE
        floor = self._floors.get((step, retired))
        if floor is None:
            floor = self._floors[step, retired] = self._floor(step, retired)
        return fits(
            self.chain,
            [(pages + count, first, end) for (pages, first, end), count in zip(floor, demand, strict=True)],
        )

    def _floor(self, step: int, retired: Set[int]) -> list[Wanted]:
        """Of each band the pages that live or are withheld, and the extent of those that stay where they are."""
        left = self._left_behind.get(retired)
        if left is None:
            left = self._left_behind[retired] = [self._left_by(retired, band) for band in range(len(self.live))]
        if step == COMPACT_ENDS:
            return [left[0][1], *(still for still, _ in left[1:-1]), left[-1][1]]
        return [moving if step == RELAYOUT else still for still, moving in left]

    def _left_by(self, retired: Set[int], band: int) -> tuple[Wanted, Wanted]:
        """The same of one band, where no page of it may move and where all may that nobody holds."""
        count = self.live[band]
        if self._withheld[band]:
            count += sum(not holders <= retired for holders in self._withheld[band].values())
        fixed = NO_PAGE
        for ticket, extent in self._held[band]:
            if ticket not in retired:
                fixed = _hull(fixed, extent)
        return (count, *_hull(fixed, self._living[band])), (count, *fixed)

    def fits_empty(self, demand: Sequence[int]) -> bool:
        """Whether an empty arena could hold a demand."""
        return fits(self.chain, [(count, 0, 0) for count in demand])

    def fits_after_eviction(self, demand: Sequence[int], band: int, evicted: int) -> bool:
        """Whether a demand fits once so many live pages of a band are given up and nothing is held any more."""
        wants = [(live + count, 0, 0) for live, count in zip(self.live, demand, strict=True)]
        wants[band] = wants[band][0] - evicted, 0, 0
        return fits(self.chain, wants)


def _extent(pages: Sequence[int]) -> Extent:
    return (min(pages), max(pages) + 1) if pages else NO_PAGE


def _hull(one: Extent, other: Extent) -> Extent:
    if one[0] >= one[1]:
        return other
    return one if other[0] >= other[1] else (min(one[0], other[0]), max(one[1], other[1]))
