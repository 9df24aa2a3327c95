"""Small layouts and a driver of random calls, for the tests of the allocator."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

import numpy as np
import pytest

from events.records import User
from impl.allocator import Allocator
from impl.layout import DType, Kind, Layout, Lifetime, Row
from impl.misuse import Misuse
from impl.plan import Grant
from impl.recording import RecordedAllocator

Driven = Allocator | RecordedAllocator


def toy_kind(name: str, entry_bytes: int, page_tokens: int = 1) -> Kind:
    """One row of fp32 numbers in each entry; the name says the lifetime."""
    lifetime = next(each for each in Lifetime if name.startswith(each.value))
    window = int(name.removeprefix("window")) if lifetime is Lifetime.WINDOW else None
    tokens = 1 if lifetime is Lifetime.STATE else page_tokens
    row = Row(0, name, (entry_bytes // 4,), DType.FP32, 0)
    return Kind(name, lifetime, window, (row,), entry_bytes, tokens)


def toy_layout(*kinds: tuple[str, int], page_tokens: int = 1) -> Layout:
    """Kinds in chain order, as name and bytes per entry."""
    made = tuple(toy_kind(name, entry_bytes, page_tokens) for name, entry_bytes in kinds)
    return Layout("toy", "", made, page_tokens, DType.BF16, 1, None)


def random_layout(rnd: Random, bands: int) -> Layout:
    """Some chain of so many bands; page sizes from 16 to 112 bytes with ratios that do not divide."""
    low = "state" if rnd.random() < 0.6 else "window9999"
    names = [low, *(f"window{99 - band}" for band in range(bands - 2)), "full"]
    return toy_layout(*((name, 16 * rnd.choice((1, 2, 3, 5, 7))) for name in names))


WEIGHTS: Final[Mapping[str, float]] = {
    "allocate": 6,
    "copy": 1,
    "release": 5,
    "share": 1,
    "open": 2,
    "hold": 5,
    "complete": 2,
    "settle": 1,
    "drain": 1,
    "publish": 1,
    "unpublish": 2,
    "compact": 1,
    "quarantine": 1,
    "clear": 0.1,
    "renew_memory": 0.05,
}
"""How often each call is made beside the others."""


class Driver:
    """Makes random calls, mostly legal ones, and remembers only what its caller would: ids, references and tickets."""

    def __init__(self, allocator: Driven, rnd: Random, weights: Mapping[str, float] = WEIGHTS) -> None:
        self.allocator, self.rnd, self.weights = allocator, rnd, weights
        self.bands = range(len(allocator.chain.bands))
        self.references: list[dict[int, int]] = [{} for _ in self.bands]
        self.tickets: dict[int, str] = {}
        self.publishers: set[str] = set()
        self.misuses = 0

    def some_ids(self, band: int, most: int) -> list[int]:
        """Living ids of a band, possibly one of them twice."""
        return [self.rnd.choice(list(self.references[band])) for _ in range(self.rnd.randint(1, most))]

    def some_demand(self) -> list[int]:
        """Small counts, many of them 0."""
        return [self.rnd.choice((0, 0, 1, 2, 3, self.rnd.randint(0, 12))) for _ in self.bands]

    def settleable(self) -> list[int]:
        """Some of the tickets that can be settled, in any order."""
        tickets = [ticket for ticket, user in self.tickets.items() if user != "transfer"]
        return self.rnd.sample(tickets, self.rnd.randint(0, len(tickets)))

    def step(self) -> str:
        """One call; its name."""
        name = self.rnd.choices(list(self.weights), list(self.weights.values()))[0]
        try:
            getattr(self, name)()
        except Misuse:
            self.misuses += 1
        return name

    def allocate(self) -> None:
        result = self.allocator.allocate(self.some_demand(), self.settleable(), wipe=self.rnd.random() < 0.3)
        if isinstance(result, Grant):
            self.took(result)

    def took(self, grant: Grant) -> None:
        """Remember what was given, and which tickets were settled for it."""
        for ticket in grant.plan.settle:
            del self.tickets[ticket]
        for band, ids in enumerate(grant.ids):
            for each in ids.tolist():
                assert each not in self.references[band], "an id was given while in use"
                self.references[band][each] = 1

    def copy(self) -> None:
        """Ask for a few pages of which the first are copies; mostly of pages that nobody writes."""
        originals = [self.some_ids(band, 2) if self.references[band] else [] for band in self.bands]
        demand = [len(ids) + self.rnd.choice((0, 0, 1)) for ids in originals]
        result = self.allocator.allocate(demand, self.settleable(), originals)
        if isinstance(result, Grant):
            self.took(result)

    def release(self) -> None:
        band = self.rnd.choice(self.bands)
        if not self.references[band]:
            return
        references = self.references[band]
        ids = self.rnd.sample(list(references), self.rnd.randint(1, min(8, len(references))))
        ids += [each for each in ids if references[each] > 1 and self.rnd.random() < 0.5]
        self.allocator.release(band, ids)
        for each in ids:
            references[each] -= 1
            if not references[each]:
                del references[each]

    def share(self) -> None:
        band = self.rnd.choice(self.bands)
        if self.references[band]:
            ids = self.some_ids(band, 3)
            self.allocator.share(band, ids)
            for each in ids:
                self.references[band][each] += 1

    def open(self) -> None:
        if len(self.tickets) < 6:
            if self.rnd.random() < 0.2:
                self.tickets[self.allocator.open("transfer")] = "transfer"
            else:
                user: User = "forward" if self.rnd.random() < 0.7 else "copy"
                waits = self.settleable() if self.rnd.random() < 0.6 else []
                self.tickets[self.allocator.open(user, self.rnd.choice("ab"), waits)] = user

    def hold(self) -> None:
        band = self.rnd.choice(self.bands)
        if self.references[band] and self.tickets:
            ticket = self.rnd.choice(list(self.tickets))
            self.allocator.hold(ticket, band, self.some_ids(band, 5), self.rnd.choice(("read", "write")))

    def complete(self) -> None:
        if self.tickets:
            ticket = self.rnd.choice(list(self.tickets))
            self.allocator.complete(ticket)
            del self.tickets[ticket]

    def settle(self) -> None:
        tickets = self.settleable()
        if tickets:
            self.allocator.settle(tickets[0])
            del self.tickets[tickets[0]]

    def drain(self) -> None:
        self.allocator.drain()

    def publish(self) -> None:
        if self.rnd.random() < 0.3:
            self.publishers.add(who := self.rnd.choice("xyz"))
            self.allocator.publish(who)

    def unpublish(self) -> None:
        if self.publishers:
            self.publishers.discard(who := self.rnd.choice(sorted(self.publishers)))
            self.allocator.unpublish(who)

    def compact(self) -> None:
        budget = self.rnd.choice((0, 100, 1000, 10**6))
        assert self.allocator.compact(budget) <= budget

    def quarantine(self) -> None:
        if self.tickets:
            self.allocator.quarantine(self.rnd.choice(list(self.tickets)))

    def clear(self) -> None:
        self.allocator.clear()
        self.references = [{} for _ in self.bands]

    def renew_memory(self) -> None:
        self.finish()
        self.allocator.release_memory()
        with pytest.raises(Misuse, match="no bytes"):
            self.allocator.allocate([1 for _ in self.bands])
        self.allocator.resume_memory()

    def finish(self) -> None:
        """Give back everything."""
        for who in sorted(self.publishers):
            self.allocator.unpublish(who)
        for ticket in self.tickets:
            self.allocator.complete(ticket)
        for band, references in enumerate(self.references):
            self.allocator.release(band, [each for each, count in references.items() for _ in range(count)])
        self.allocator.drain()
        self.publishers, self.tickets, self.references = set(), {}, [{} for _ in self.bands]


def filled(allocator: Driven, demand: Sequence[int]) -> list[np.ndarray]:
    """The ids of a demand that must be met."""
    result = allocator.allocate(demand)
    assert isinstance(result, Grant), result
    return list(result.ids)
