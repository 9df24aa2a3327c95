"""Which pages the host arena keeps, by the text that they are of; the least recently used ones give way."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from impl.plan import Grant, Refusal
from impl.requests.protocol import Pages


class Place(NamedTuple):
    """What a page below the device is of.

    Attributes:
        band: of the kind.
        digest: of the text up to its end; see `digests_of`. Of a state: of all the text that it has seen.
    """

    band: int
    digest: bytes


class HostPages:
    """Keeps a reference to each page; so does every copy in flight, and while it does the page never gives way.

    Args:
        allocator: of the host arena, or one on record.
    """

    def __init__(self, allocator: Pages) -> None:
        self._allocator = allocator
        # the least recently used first
        self._ids: OrderedDict[Place, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._ids)

    def get(self, place: Place) -> int | None:
        """The virtual page of the host arena in which it is kept, or None."""
        return self._ids.get(place)

    def use(self, places: Iterable[Place]) -> None:
        """Those of these that are kept were used just now, the first ones last, since the others need them."""
        for place in reversed(list(places)):
            if place in self._ids:
                self._ids.move_to_end(place)

    def take(self, places: Sequence[Place]) -> dict[Place, int]:
        """New pages for as many of these as there is room for, the first ones first; others give way.

        Each is kept from now on: whatever is launched to read it must come behind what is launched to write it.

        Args:
            places: not kept yet, none twice.
        """
        taken: dict[Place, int] = {}
        left, size = list(places), len(places)
        while size := min(size, len(left)):
            demand = [0] * len(self._allocator.chain.bands)
            for place in left[:size]:
                demand[place.band] += 1
            given = self._allocator.allocate(demand)
            if isinstance(given, Grant):
                rows = [iter(ids.tolist()) for ids in given.ids]
                taken |= {place: next(rows[place.band]) for place in left[:size]}
                del left[:size]
            elif not self.give_way(given):
                size //= 2
        # no earlier: what is kept may give way to what is still to be taken
        for place in reversed(taken):
            self._ids[place] = taken[place]
        return taken

    def clear(self) -> None:
        """Keep nothing any more; what copies in flight hold is free once they have landed."""
        for place, vid in self._ids.items():
            self._allocator.release(place.band, [vid])
        self._ids.clear()

    def give_way(self, refusal: Refusal) -> bool:
        """Let go of what a refusal lacks of one kind, the one that was used longest ago; whether that is done."""
        if refusal.reason != "evict":
            return False
        offers = [offer for band, count in enumerate(refusal.evict) if count and (offer := self._offer(band, count))]
        if not offers:
            return False
        for _, place in min(offers, key=lambda offer: offer[-1][0]):
            self._allocator.release(place.band, [self._ids.pop(place)])
        return True

    def _offer(self, band: int, count: int) -> list[tuple[int, Place]]:
        """So many pages of a band that no copy uses, each with its age, the least recently used first; or nothing."""
        own = [(age, place, vid) for age, (place, vid) in enumerate(self._ids.items()) if place.band == band]
        if len(own) < count:
            return []
        sole = self._allocator.count_references(band, [vid for _, _, vid in own]) == 1
        free = [(age, place) for (age, place, _), alone in zip(own, sole, strict=True) if alone]
        return free[:count] if len(free) >= count else []
