"""What matters for admission, taken from the judge's state before a call."""

from collections.abc import Sequence, Set

from fuzz.oracle.packing import Chain, Want, fits
from spec.judge.arena import JudgedArena
from spec.state import LIVE

Extent = tuple[int, int]
"""Pages first <= page < end; equal if there is none."""

NOBODY: Set[int] = frozenset()

IN_PLACE, COMPACT_ENDS, RELAYOUT = 1, 2, 3
"""The steps: no page moves; pages of the two end bands may; those of floats too."""


class Situation:
    """An arena before a demand: which pages live, which are held and by whom, and whether somebody has published."""

    def __init__(self, s: JudgedArena) -> None:
        bands = range(s.bands)
        self.chain = Chain(s.address.origins, s.address.sizes, s.base, s.capacity, s.bottom, s.top)
        self.publishers = frozenset(s.published)
        self.holders: dict[tuple[int, int], set[int]] = {}
        """Of each band and physical page, the tickets that hold it."""
        for ticket, band, page in s.held:
            self.holders.setdefault((band, page), set()).add(ticket)
        live: list[list[int]] = [[] for _ in bands]
        # of each band the holders of each withheld page
        self._withheld: list[list[set[int]]] = [[] for _ in bands]
        for (band, page), status in s.status.items():
            if status == LIVE:
                live[band].append(page)
            else:
                self._withheld[band].append(self.holders[band, page])
        self.live = [len(pages) for pages in live]
        """How many pages of each band live."""
        self._living = [_extent(pages) for pages in live]
        self._held: list[list[tuple[int, set[int]]]] = [[] for _ in bands]
        for (band, page), who in self.holders.items():
            self._held[band].append((page, who))
        # of each set of tickets that was asked about
        self._left_behind: dict[Set[int], list[tuple[int, Extent]]] = {}

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
        may_move = gate_open or not self.publishers
        ends = (0, len(demand) - 1)
        left = self._left_behind.get(retired)
        if left is None:
            left = self._left_behind[retired] = self._left_by(retired)
        wants = []
        for band, (count, live, (withheld, fixed)) in enumerate(zip(demand, self.live, left, strict=True)):
            if not (may_move and (step == RELAYOUT or (step == COMPACT_ENDS and band in ends))):
                fixed = _hull(fixed, self._living[band])
            wants.append(Want(live + withheld + count, *fixed))
        return fits(self.chain, wants)

    def _left_by(self, retired: Set[int]) -> list[tuple[int, Extent]]:
        """Of each band how many pages are withheld, and the extent of those that are held, by tickets besides these."""
        return [
            (
                sum(not holders <= retired for holders in withheld),
                _extent([page for page, holders in held if not holders <= retired]),
            )
            for withheld, held in zip(self._withheld, self._held, strict=True)
        ]

    def fits_empty(self, demand: Sequence[int]) -> bool:
        """Whether an empty arena could hold a demand."""
        return fits(self.chain, [Want(count) for count in demand])

    def fits_after_eviction(self, demand: Sequence[int], band: int, evicted: int) -> bool:
        """Whether a demand fits once so many live pages of a band are given up and nothing is held any more."""
        wants = [Want(live + count) for live, count in zip(self.live, demand, strict=True)]
        wants[band] = Want(wants[band].pages - evicted)
        return fits(self.chain, wants)


def _extent(pages: Sequence[int]) -> Extent:
    return (min(pages), max(pages) + 1) if pages else (0, 0)


def _hull(one: Extent, other: Extent) -> Extent:
    if one[0] >= one[1]:
        return other
    return one if other[0] >= other[1] else (min(one[0], other[0]), max(one[1], other[1]))
