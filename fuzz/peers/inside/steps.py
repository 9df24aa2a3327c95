"""From how an arena looked before and after a call to the steps that lead there.

An allocator that is not ours writes no trace. But where its spans end and where its virtual pages live can be looked
at, and any change of these is a sequence of page actions: here is one. Whether each of them is legal is for the judge;
so the order is the one that leaves most room, and no step is left out or made up to please him.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fuzz.peers.inside.driver import Broken
from fuzz.peers.inside.tape import Record


@dataclass(frozen=True)
class Seen:
    """One band as it looks: its span lo <= page < hi, and where each living virtual page lives.

    An empty span of a float may be given anywhere.
    """

    lo: int
    hi: int
    table: Mapping[int, int]

    @property
    def empty(self) -> bool:
        """It has no page, not even a hole."""
        return self.lo >= self.hi


class _Band:
    """A band on its way from one look to another."""

    def __init__(self, number: int, bands: int, before: Seen, after: Seen) -> None:
        self.number, self.after = number, after
        self.is_float = 0 < number < bands - 1
        self.empty = before.empty and self.is_float
        self.lo, self.hi = before.lo, before.hi
        self.live = set(before.table.values())
        self.moves = [
            (page, after.table[vid])
            for vid, page in before.table.items()
            if vid in after.table and after.table[vid] != page
        ]
        self.fresh = {vid: page for vid, page in after.table.items() if vid not in before.table}

    def stretch(self, lo: int, hi: int) -> Iterable[Record]:
        """Grow until at least these pages are inside."""
        if lo >= hi and self.is_float:
            return
        if self.empty:
            yield ["step.appear", self.number, lo]
            self.lo, self.hi, self.empty = lo, lo + 1, False
        if lo < self.lo:
            yield ["step.grow-low", self.number, self.lo - lo]
            self.lo = lo
        if hi > self.hi:
            yield ["step.grow-high", self.number, hi - self.hi]
            self.hi = hi

    def shrink(self, lo: int, hi: int) -> Iterable[Record]:
        """Give up what lies outside of these pages."""
        if self.empty:
            return
        lo, hi = (self.hi, self.hi) if lo >= hi and self.is_float else (lo, hi)
        if lo > self.lo:
            yield ["step.absorb-low", self.number, lo - self.lo]
            self.lo = lo
        if hi < self.hi:
            yield ["step.absorb-high", self.number, self.hi - hi]
            self.hi = hi
        self.empty = self.is_float and self.lo >= self.hi

    def rearrange(self) -> Iterable[Record]:
        """Bring those that stay to their new places, and give up what the band does not keep."""
        targets = [target for _, target in self.moves]
        if targets:
            yield from self.stretch(min([self.lo, *targets]), max([self.hi, *(page + 1 for page in targets)]))
        sources, targets = self._in_order()
        if sources:
            yield ["step.move", self.number, sources, targets]
        if self.after.empty and self.is_float:
            yield from self.shrink(0, 0)
        else:
            yield from self.shrink(max(self.lo, self.after.lo), min(self.hi, self.after.hi))

    def _in_order(self) -> tuple[list[int], list[int]]:
        """Each move only once its target was left; those for which that never comes last of all."""
        waiting, sources, targets = list(self.moves), [], []
        while waiting:
            ready = [pair for pair in waiting if pair[1] not in self.live] or waiting
            for source, target in ready:
                sources.append(source)
                targets.append(target)
                self.live.discard(source)
                self.live.add(target)
            waiting = [pair for pair in waiting if pair not in ready]
        return sources, targets

    def settle_down(self) -> Iterable[Record]:
        """Take the span that was seen, and the new virtual pages."""
        yield from self.stretch(self.after.lo, self.after.hi)
        if self.fresh:
            yield ["step.allocate", self.number, list(self.fresh.values()), list(self.fresh)]


def steps_between(before: Sequence[Seen], after: Sequence[Seen]) -> list[Record]:
    """The steps from one look to the other.

    Raises:
        Broken: a virtual page has vanished that nobody gave up.
    """
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        lost = [vid for vid in old.table if vid not in new.table]
        if lost:
            raise Broken("bijection", f"ids {lost[:8]} of band {number} have no page any more, and nobody freed them")
    bands = [_Band(number, len(before), *pair) for number, pair in enumerate(zip(before, after, strict=True))]
    steps: list[Record] = []
    for band in sorted(bands, key=_turn):
        steps.extend(band.rearrange())
    # the ends grow away from each other's reach, and floats take what they leave
    for band in sorted(bands, key=lambda band: band.is_float):
        steps.extend(band.settle_down())
    return steps


def _turn(band: _Band) -> tuple[int, int]:
    """What only shrinks comes first; then what moves right, from the right; then what moves left, from the left."""
    if not band.is_float or band.empty or band.after.empty:
        return 0, band.number
    if band.lo <= band.after.lo and band.after.hi <= band.hi:
        return 0, band.number
    return (1, -band.number) if band.after.lo > band.lo else (2, band.number)
