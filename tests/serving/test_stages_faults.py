"""What the cache of one stage could do otherwise than the others', each by the check that sees it first.

The last of two stages has the fault. That stages disagree is seen by both, at the same step.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from impl.serving.host.copies import LOAD, Copies, Pair
from impl.serving.parallel.processes import Ranks
from impl.serving.prefix.cache import PrefixCache
from impl.serving.prefix.gathered import Gathered, longest
from impl.serving.prefix.node import Node
from tests.serving.ranked_faults import Scene, check_that_fails, no_fault
from tests.serving.seeded import Patch, shows
from tests.serving.staged import ASKED, HOSTS, SPLITS, Room, by_layers_cached

T = TypeVar("T")


@shows("rank-agreement", "class: decisions that depend on the rank")
def begins_at_its_own_length(patch: Patch) -> None:
    """A stage goes on with a text as far as it knows it itself."""
    patch.setattr("impl.serving.prefix.cache.longest", _own_longest)


@shows("rank-agreement", "class: decisions that depend on the rank")
def gives_way_alone(patch: Patch) -> None:
    """A stage lets go of what it would let go of if it were alone."""
    gives = PrefixCache._gives

    def wrong(self: PrefixCache, counts: Sequence[int | None]) -> bool:
        gathered = self.gathered

        def own_alone(what: str, own: Any) -> list[Any]:
            found = gathered(what, own)
            return [own] if what == "what gives way" else found

        with Patch.context() as inner:
            inner.setattr(self, "gathered", own_alone)
            return gives(self, counts)

    patch.setattr(PrefixCache, "_gives", wrong)


@shows("rank-agreement", "class: decisions that depend on the rank")
def forgets_what_was_used(patch: Patch) -> None:
    """A stage lets go of what it has known longest, and not of what was used longest ago."""

    def wrong(self: PrefixCache, nodes: Iterable[Node]) -> None:
        for node in reversed(list(nodes)):
            self._recency.setdefault(node)

    patch.setattr(PrefixCache, "_use", wrong)


@shows("rank-agreement", "class: premature completion")
def loads_by_its_own_clock(patch: Patch) -> None:
    """What comes from the host is taken to be there when it is on this stage."""
    poll = Copies.poll

    def wrong(self: Copies, agreed: Callable[[int], int]) -> None:
        poll(self, agreed)
        for copy in [copy for copy in self.flying if copy.stream == LOAD and self._is_over(copy)]:
            self._end(copy)

    patch.setattr(Copies, "poll", wrong)


@shows("rank-agreement", "class: non-atomic joint allocation")
def loads_though_another_cannot(patch: Patch) -> None:
    """A stage brings up what its own host has, though another's has not as much."""
    patch.setattr("impl.serving.host.cache.longest", _own_longest)


@shows("rank-agreement", "class: ids that depend on the rank")
def holds_what_it_copies_alone(patch: Patch) -> None:
    """A backup holds nothing of what only another stage copies, so that those ids are minted again here."""
    back_up = Copies.back_up

    def wrong(self: Copies, pairs: Sequence[Pair], waits: Iterable[int], held: Sequence[Sequence[int]]) -> None:
        own = {(pair.place.band, pair.vid) for pair in pairs}
        back_up(self, pairs, waits, [[vid for vid in ids if (band, vid) in own] for band, ids in enumerate(held)])

    patch.setattr(Copies, "back_up", wrong)


@shows("rank-agreement", "class: decisions that depend on the rank")
def begins_no_empty_copy(patch: Patch) -> None:
    """A stage that has nothing to copy begins no copy, though another does."""
    back_up = Copies.back_up

    def wrong(self: Copies, pairs: Sequence[Pair], waits: Iterable[int], held: Sequence[Sequence[int]]) -> None:
        if pairs:
            back_up(self, pairs, waits, held)

    patch.setattr(Copies, "back_up", wrong)


_CACHED, _BELOW = SPLITS["windows of two lengths"], SPLITS["no window in the second"]
CACHED = Scene(by_layers_cached, (*_CACHED, ASKED, (Room(48), Room(200))), _CACHED[0], ASKED)
BELOW = Scene(by_layers_cached, (*_BELOW, ASKED, HOSTS), _BELOW[0], ASKED)

FAULTS: list[tuple[Callable[[Patch], None], Scene, str]] = [
    (begins_at_its_own_length, CACHED, "rank-agreement: the ids of full"),
    (gives_way_alone, CACHED, "rank-agreement: what comes next"),
    (forgets_what_was_used, CACHED, "rank-agreement: the ids of full"),
    (loads_by_its_own_clock, BELOW, "rank-agreement: what comes next"),
    (loads_though_another_cannot, BELOW, "rank-agreement: the ids of full"),
    (holds_what_it_copies_alone, BELOW, "rank-agreement: the ids of full"),
    (begins_no_empty_copy, BELOW, "rank-agreement: the tickets"),
]


def _own_longest(find: Callable[[int], T], pages: Callable[[T], int], most: int, what: str, gathered: Gathered) -> T:
    longest(find, pages, most, what, gathered)
    return find(most)


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


@pytest.mark.parametrize(("fault", "scene", "check"), FAULTS, ids=[fault.__name__ for fault, *_ in FAULTS])
def test_a_fault_shows_by_its_check(two: Ranks, fault: Callable[[Patch], None], scene: Scene, check: str) -> None:
    assert check_that_fails(two, fault, scene) == check


@pytest.mark.parametrize("scene", [CACHED, BELOW], ids=["cached", "below"])
def test_nothing_shows_where_there_is_no_fault(two: Ranks, scene: Scene) -> None:
    assert check_that_fails(two, no_fault, scene) is None
