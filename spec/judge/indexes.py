"""Indexes: the members of the specification's words, kept while the tables change.

A word's members are found by asking the word's own predicate about each entry that changes, so an index can miss a
change but cannot mean something else than the word.  That an index equals its word is tested on random states.
"""

from bisect import insort
from collections.abc import Callable, Iterable
from typing import Any

from spec import words
from spec.ranges import Word

Key = Any
Place = Callable[..., tuple[tuple[Any, ...], tuple[Any, ...]]]


class Index:
    """The members of a word for each way it can be given.

    `place(*key)` says which given and which member an entry of the table speaks of; whether it is a member at all is
    for the word to say.  That is exact when the word reads the state at that entry only, and when no entry that has the
    table's default is a member.
    """

    def __init__(self, s: Any, word: Word, table: dict[Key, Any], place: Place) -> None:
        self.s, self.holds, self.table, self.place = s, word.holds, table, place
        self.members: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
        self.places: dict[Key, tuple[tuple[Any, ...], tuple[Any, ...]]] = {}  # where the entries that count are listed

    def update(self, keys: Iterable[Key]) -> None:
        """These entries have changed."""
        members, places = self.members, self.places
        for key in keys:
            if key in places:
                given, member = places.pop(key)
                group = members[given]
                if len(group) > 1:
                    group.discard(member)
                else:
                    del members[given]
            if key in self.table:
                place = given, member = self.place(*key)
                if self.holds(self.s, *given, *member):
                    places[key] = place
                    if given in members:
                        members[given].add(member)
                    else:
                        members[given] = {member}

    def __call__(self, *given: Any) -> Iterable[tuple[Any, ...]]:
        return self.members.get(given, ())


class Extents:
    """The non-empty spans, below and above each band, and the bytes they take."""

    def __init__(self, s: Any) -> None:
        self.s = s
        self.below: dict[int, list[tuple[int]]] = {band: [] for band in range(s.bands)}
        self.above: dict[int, list[tuple[int]]] = {band: [] for band in range(s.bands)}
        self.bytes: dict[int, tuple[int, int]] = {}  # first byte and end of each non-empty span

    def update(self, bands: Iterable[int]) -> None:
        """A side of these bands' spans has changed."""
        s = self.s
        for band in bands:
            was = band in self.bytes
            if words.is_empty(s, band):
                self.bytes.pop(band, None)
            else:
                self.bytes[band] = words.start(s, band), words.end(s, band)
            if was != (band in self.bytes):
                self._appears_or_vanishes(band, was)

    def _appears_or_vanishes(self, band: int, was: bool) -> None:
        for other in range(self.s.bands):
            if other == band:
                continue
            group = self.above[other] if other < band else self.below[other]
            if was:
                group.remove((band,))
            else:
                insort(group, (band,))

    def struck(self, band: int, page: int) -> tuple[tuple[int, int], ...]:
        """The pages that a write to this one hits besides; legal spans are disjoint, so one comparison a band."""
        s = self.s
        first = s.address[band, page]
        end = s.address[band, page + 1]
        hit: tuple[tuple[int, int], ...] = ()
        for other, (its_first, its_end) in self.bytes.items():
            if its_first < end and first < its_end and other != band:
                pages = s.address.pages(other, first, end)
                hit += tuple((other, its_page) for its_page in pages if s.lo[other] <= its_page < s.hi[other])
        return hit


class PageAddresses:
    """origin + page * size, in bytes, for each band; sizes are positive."""

    def __init__(self, origins: list[int], sizes: list[int]) -> None:
        self.origins, self.sizes = origins, sizes

    def __getitem__(self, key: tuple[int, int]) -> int:
        band, page = key
        return self.origins[band] + page * self.sizes[band]

    def pages(self, band: int, first: int, end: int) -> range:
        """The pages of the band that share bytes with first <= byte < end."""
        origin, size = self.origins[band], self.sizes[band]
        return range((first - origin) // size, -((origin - end) // size))
