"""Indexes: the members of the specification's words, kept while the tables change.

A word's members are found by asking the word's own predicate about each entry that changes, before and after, so an
index can miss a change but cannot mean something else than the word. That an index equals its word is tested on random
states.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from spec import words
from spec.logic import Term
from spec.ranges import Word


@dataclass(frozen=True, eq=False)
class Watch:
    """What is told when entries of some fields change, if what it says of them becomes another: `says(s, *key)`."""

    name: str
    fields: frozenset[str]
    says: Callable[..., Any]
    is_index: bool = True
    """It says where the entries at a key are listed: under what is given, as which member, and whether at all."""


def _listed(word: Word, fields: str, place: Callable[..., Any]) -> Watch:
    """An index of a word: `place(s, *key)` is the given and the member of which the entries at a key speak.

    Whether that is a member is for the word to say. This is exact when both read the state at those entries only.
    """

    def says(s: Any, *key: Term) -> tuple[Any, Any, Term]:
        given, member = place(s, *key)
        return given, member, word.holds(s, *given, *member)

    return Watch(word.name, frozenset(fields.split()), says)


WATCHES: Final = (
    _listed(words.holders, "held", lambda s, ticket, band, page: ((band, page), (ticket,))),
    _listed(words.writers, "held", lambda s, ticket, band, page: ((band, page), (ticket,))),
    _listed(words.pages_held, "held", lambda s, ticket, band, page: ((ticket,), (band, page))),
    _listed(
        words.given, "held name", lambda s, ticket, band, page: ((band, s.name[ticket, band, page]), (ticket, page))
    ),
    _listed(words.flights, "flying flyer", lambda s, band, page: ((s.flyer[band, page],), (band, page))),
    Watch("extents", frozenset({"lo", "hi"}), words.is_empty, is_index=False),
)


class Index:
    """The members of a word for each way it can be given."""

    def __init__(self, s: Any, watch: Watch) -> None:
        self.s, self.says = s, watch.says
        self.members: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}

    def forget(self, keys: Iterable[Any]) -> None:
        """The entries at these keys will change."""
        for given, member in self._listed(keys):
            group = self.members[given]
            group.discard(member)
            if not group:
                del self.members[given]

    def learn(self, keys: Iterable[Any]) -> None:
        """The entries at these keys have changed."""
        for given, member in self._listed(keys):
            self.members.setdefault(given, set()).add(member)

    def _listed(self, keys: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        for key in keys:
            given, member, is_listed = self.says(self.s, *key)
            if is_listed:
                yield given, member

    def __call__(self, *given: Any) -> Iterable[tuple[Any, ...]]:
        return self.members.get(given, ())


class Extents:
    """The non-empty spans, below and above each band."""

    def __init__(self, s: Any) -> None:
        self.s = s
        self.below: dict[int, list[tuple[int]]] = {band: [] for band in range(s.bands)}
        self.above: dict[int, list[tuple[int]]] = {band: [] for band in range(s.bands)}
        self.spanning: set[int] = set()

    def forget(self, bands: Iterable[int]) -> None:
        """A side of these bands' spans will change; which were empty is known."""

    def learn(self, bands: Iterable[int]) -> None:
        """A side of these bands' spans has changed."""
        for band in bands:
            if words.is_empty(self.s, band) == (band in self.spanning):
                self._appears_or_vanishes(band)

    def _appears_or_vanishes(self, band: int) -> None:
        was = band in self.spanning
        self.spanning ^= {band}
        for other in range(self.s.bands):
            if other == band:
                continue
            group = self.above[other] if other < band else self.below[other]
            if was:
                group.remove((band,))
            else:
                insort(group, (band,))

    @property
    def bytes(self) -> dict[int, tuple[int, int]]:
        """First byte and end of each non-empty span."""
        return {band: self._bytes(band) for band in self.spanning}

    def _bytes(self, band: int) -> tuple[int, int]:
        origin, size = self.s.address.origins[band], self.s.address.sizes[band]
        return origin + self.s.lo[band] * size, origin + self.s.hi[band] * size

    def struck(self, band: int, page: int) -> list[tuple[int, int]]:
        """The pages that a write to this one hits besides; legal spans are disjoint, so one comparison a band."""
        s = self.s
        first, end = s.address[band, page], s.address[band, page + 1]
        hit: list[tuple[int, int]] = []
        for other in self.spanning:
            its_first, its_end = self._bytes(other)
            if its_first < end and first < its_end and other != band:
                pages = s.address.pages(other, first, end)
                hit += [(other, its_page) for its_page in pages if s.lo[other] <= its_page < s.hi[other]]
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
