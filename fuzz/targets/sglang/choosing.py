"""Chooses what SGLang's allocator is asked for next, always at the edge of what it has."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from fuzz.peers.inside.driver import Call
from fuzz.peers.inside.tape import Tape
from fuzz.targets.sglang.arena import Arena
from fuzz.targets.sglang.building import IS_OLD
from fuzz.targets.sglang.given import Spot, can_grow

MOVE_CAPS: Final = (1, 2, 3, 16, 1000)
"""Pages that an idle flush may move; the same for one life."""

EMPHASES: Final = (0, 1, 1, 2, 5)
"""Each kind of call is rarer or more frequent in one life than in another, or absent from it."""

FAR: Final = 40
"""Pages; more than any arena here has."""


class Choosing(Arena):
    """An arena for which calls are chosen."""

    def __init__(self, setup: str, tape: Tape) -> None:
        super().__init__(setup, tape)
        self._choices: dict[str, Callable[[Random], Sequence[Any]]] = {
            "alloc": self._choose_alloc,
            "extend": self._choose_extend,
            "decode": self._choose_decode,
            "state": self._choose_state,
            "free": self._choose_free,
            "free-window": self._choose_free_window,
            "free-state": self._choose_free_state,
            "urgent": self._choose_urgent,
            "make-room": self._choose_make_room,
            "pack": self._choose_pack,
            "ensure": self._choose_ensure,
            "forward": self._choose_forward,
            "publish": self._choose_publish,
            "unpublish": self._choose_unpublish,
        }
        self._label = 0
        self._weights: dict[str, int] | None = None

    def next_call(self, rnd: Random) -> Call:
        """See `Driver`."""
        if self._weights is None:
            self._weights = {name: weight * rnd.choice(EMPHASES) for name, weight in self._possible()}
            if not any(self._weights.values()):
                self._weights = dict(self._possible())
            # in the script, so that it is the same when that is played
            return ["cap", rnd.choice(MOVE_CAPS)]
        name = rnd.choices(list(self._weights), list(self._weights.values()))[0]
        if name == "forward" and self.flying is not None:
            name = "land"
        return [name, *self._choices.get(name, _nothing)(rnd)]

    def _possible(self) -> Iterator[tuple[str, int]]:
        yield from (("alloc", 8), ("free", 9), ("forward", 6), ("land", 3))
        if not IS_OLD:
            yield "ensure", 2
        if self.page_tokens > 1:
            yield from (("extend", 3), ("decode", 4))
        if self.lazy:
            yield from (("flush", 5), ("urgent", 3), ("publish", 1), ("unpublish", 1))
        if "window" in self.band:
            yield "free-window", 6
        if "state" in self.band:
            yield from (("state", 5), ("free-state", 4))
        if len(self.band) == 3:
            yield from (("make-room", 3), ("pack", 1))
        yield "clear", 1

    def _new_label(self) -> str:
        self._label += 1
        return f"r{self._label}"

    def _choose_alloc(self, rnd: Random) -> Sequence[Any]:
        room = self._room()
        few = rnd.randint(1, 5)
        return self._new_label(), max(1, rnd.choice([1, 1, 2, few, few, room, room // 2, room + 1, room + few]))

    def _choose_extend(self, rnd: Random) -> Sequence[Any]:
        growable = [label for label, given in self.pages.items() if can_grow(given)]
        batch = [
            (rnd.choice(growable) if growable and rnd.random() < 0.6 else self._new_label(), self._some_tokens(rnd))
            for _ in range(rnd.randint(1, 3))
        ]
        return [list({label: (label, tokens) for label, tokens in batch}.values())]

    def _some_tokens(self, rnd: Random) -> int:
        return rnd.randint(1, rnd.choice((1, self.page_tokens, 3 * self.page_tokens, 12 * self.page_tokens)))

    def _choose_decode(self, rnd: Random) -> Sequence[Any]:
        growable = [label for label, given in self.pages.items() if can_grow(given)]
        return [rnd.sample(growable, min(len(growable), rnd.randint(1, 6)))]

    def _choose_state(self, rnd: Random) -> Sequence[Any]:
        part = self.part["state"]
        count = rnd.choice(
            [1, 1, 2, part.available_size(), part.schedulable_available_size(), part.available_size() + 1]
        )
        return self._new_label(), max(1, count), rnd.random() < 0.5

    def _choose_free(self, rnd: Random) -> Sequence[Any]:
        how = rnd.choice(("plain", "plain", "group", "segment", "full"))
        places = [
            (label, place)
            for label, given in self.pages.items()
            for place in range(len(given.ids))
            if place not in given.gone and self._fits(how, given, place)
        ]
        return how, _sample(rnd, places)

    def _choose_free_window(self, rnd: Random) -> Sequence[Any]:
        places = [
            (label, place)
            for label, given in self.pages.items()
            for place in range(len(given.ids))
            if place not in given.gone and place not in given.windowless
        ]
        return rnd.choice(("plain", "segment")), _sample(rnd, places)

    def _choose_free_state(self, rnd: Random) -> Sequence[Any]:
        places = [
            (label, place)
            for label, given in self.states.items()
            for place in range(len(given.ids))
            if place not in given.gone
        ]
        return [_sample(rnd, places)]

    def _choose_urgent(self, rnd: Random) -> Sequence[Any]:
        return [rnd.choice(list(self.band))]

    def _choose_ensure(self, rnd: Random) -> Sequence[Any]:
        full, window = rnd.randint(0, FAR), rnd.randint(0, FAR)
        return (full, full) if rnd.random() < 0.4 else (full, window)

    def _choose_make_room(self, rnd: Random) -> Sequence[Any]:
        return rnd.choice(("low", "high")), rnd.randint(1, self.witness.chain.capacity // 2)

    def _choose_pack(self, rnd: Random) -> Sequence[Any]:
        return [rnd.choice(("low", "high"))]

    def _choose_forward(self, rnd: Random) -> Sequence[Any]:
        places = [
            (label, place)
            for label, given in self.pages.items()
            for place in range(len(given.ids))
            if place not in given.gone
        ]
        chosen = rnd.sample(places, min(len(places), rnd.randint(1, 8)))
        written = rnd.randint(0, 4)
        slots = [
            (label, place)
            for label, given in self.states.items()
            for place in range(len(given.ids))
            if place not in given.gone
        ]
        return chosen[written:], chosen[:written], rnd.sample(slots, min(len(slots), rnd.randint(0, 3)))

    def _choose_publish(self, rnd: Random) -> Sequence[Any]:
        return rnd.choice(("disagg", "host")), self._choose_forward(rnd)[0]

    def _choose_unpublish(self, rnd: Random) -> Sequence[Any]:
        return [rnd.choice(("disagg", "host"))]


def _nothing(_rnd: Random) -> Sequence[Any]:
    """A call without arguments."""
    return ()


def _sample(rnd: Random, places: list[Spot]) -> list[Spot]:
    count = rnd.choice((1, 1, 2, 5, len(places) // 2, len(places)))
    return rnd.sample(places, min(len(places), max(1, count)))
