"""Random legal traces: a driver and an allocator that try things, and keep what the slow reading lets pass."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from events import records as r
from spec.state import FREE, LIVE, WRITE
from tests.spec.reference import ASKED_FOR, MEMBERS, Illegal, Reference, enumerating

BANDS = [r.Band("state", 2, 0, 1), r.Band("window", 3, 1, 16), r.Band("full", 1, 12, 16)]
HEADER = r.Header(r.VERSION, "test", "", BANDS, 0, 24, 0, 12)
"""Bytes 0 to 24: state pages from 0, one float, full pages up to 12."""

EMPTY = r.Snapshot(
    [r.BandState(page, page, [], [], [], [], [], []) for page in (0, 3, 12)],
    [],
    {},
    0,
    [],
)
RARITY: dict[type[Any], float] = {
    r.Publish: 4,
    r.Drain: 2,
    r.Share: 3,
    r.Complete: 2,
    r.Settle: 2,
    r.Allocate: 0.5,
    r.Open: 0.4,
    r.Hold: 0.3,
    r.Compact: 0.7,
}
"""How much more seldom than others a call is made: all of them equally often would leave the arena empty and pinned."""

IDS, MOST_TICKETS = range(5), 14


def sort_of(call: Any) -> str:
    """Of which no other call takes the turn: its type, and whether it asks for copies."""
    return f"{type(call).__name__}{' of copies' if isinstance(call, r.Allocate) and call.originals else ''}"


class Driver:
    """Tries calls, answers them as an allocator might, and writes down what is legal."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.known = Reference()
        self.records: list[Any] = []
        self.called: Counter[str] = Counter()
        for record in (HEADER, EMPTY):
            self._write(record)

    def _write(self, record: Any) -> None:
        self.known.take(record)
        self.records.append(record)

    def snapshot(self) -> None:
        """Write down what is known."""
        self._write(self.known.snapshot())

    def close(self) -> None:
        """Write the closing line."""
        self._write(r.Close(len(self.records)))

    def call(self) -> None:
        """Write one call that is legal, or now and then one that is a misuse, with its steps and its end."""
        for call in self._tries():
            trial = self.known.copied()
            trial.take(call)
            if trial.misuse is None:
                break
            if self.rng.random() < 0.01:
                self._write(call)
                self._write(r.End("failed"))
                return
        self._write(call)
        self.called[sort_of(call)] += 1
        if isinstance(call, r.Allocate):
            self._allocate(call)
        else:
            self._some_steps(4, *[kind for kind in ASKED_FOR.get(type(call), ()) if kind is not r.Appeared])
            self._write(r.End())

    def _tries(self) -> Iterator[Any]:
        """Calls to try, rather of the kinds that were legal least often; in the end one that always is."""
        for _ in range(60):
            calls = self._some_calls()
            self.rng.shuffle(calls)
            yield from sorted(calls, key=lambda call: self.called[sort_of(call)] * RARITY.get(type(call), 1))
        yield r.Drain()

    def _some_calls(self) -> list[Any]:
        """One of each kind, with arguments that may make it legal."""
        choose, s = self.rng.choice, self.known.state
        tickets = [ticket for ticket in self.known.users if self.known.outstanding(ticket)] or [0]
        ticket, band, who = choose(tickets), choose(MEMBERS["band"]), choose(MEMBERS["publisher"])
        alive = [vid for vid in IDS if s.refs[band, vid] > 0] or [0]
        ids = [choose(alive) for _ in range(choose([1, 1, 2]))]
        held = [page for page in MEMBERS["page"] if s.held[ticket, band, page] == WRITE] or [0]
        flying = [page for page in MEMBERS["page"] if s.flying[band, page]] or [0]
        calls = [
            r.Allocate([choose([0, 1]), choose([0, 1, 2]), choose([0, 1, 3])], wipe=choose([False, True])),
            r.Allocate([0, choose([0, 1]), choose([0, 1])], [ticket], [], choose([False, True])),
            self._copying(band, ids[0], ticket),
            r.Share(band, ids),
            r.Release(band, ids),
            r.Hold(ticket, band, choose(["read", "write"]), ids),
            r.Issue(ticket, band, [choose(held)], [choose([1, 2, 3])]),
            r.Land(band, [choose(flying)]),
            r.Complete(ticket),
            r.Settle(ticket),
            r.Drain(),
            r.Publish(who),
            r.Unpublish(who),
            r.Compact(choose([3, 6])),
        ]
        number = self.known.next_ticket
        if number < MOST_TICKETS:
            waits = self.rng.sample(tickets, min(len(tickets), choose([0, 0, 1])))
            calls.append(r.Open(number, choose(["forward", "copy"]), choose(["main", "host"]), waits))
            calls.append(r.Open(number, "transfer"))
        return calls

    def _copying(self, band: int, vid: int, ticket: int) -> r.Allocate:
        """A demand for a copy of a page, and perhaps for a page more."""
        demand, originals = [0, 0, 0], [[vid] * (other == band) for other in MEMBERS["band"]]
        demand[band] = self.rng.choice([1, 2])
        return r.Allocate(demand, [ticket] * self.rng.choice([0, 1, 1]), originals)

    # ------------------------------------------------------------------------------------------------------- answers

    def _allocate(self, call: r.Allocate) -> None:
        self._some_steps(3, r.GrewLow, r.GrewHigh, r.AbsorbedLow, r.AbsorbedHigh, r.Moved)
        begun = self.known.copied(), list(self.records)
        for ticket in set(call.settle):
            self._write(r.Settled(ticket))
        given: list[list[int]] = [[], [], []]
        for band, count in enumerate(call.demand):
            originals = call.originals[band] if call.originals else []
            for number in range(count):
                home = self._home(band, originals[number : number + 1], call.wipe)
                if home is None:
                    self.known, self.records = begun
                    reason: Any = self.rng.choice(["never", "after-release", "evict"])
                    self._write(r.Refused(reason))
                    self._write(r.End("refused"))
                    return
                self._write(home)
                given[band] += home.ids
        self._write(r.End(ids=given))

    def _home(self, band: int, original: list[int], wiped: bool) -> Any:
        """A page, or a copy of one, after its band has grown by one where that must be; none if it cannot."""
        for _ in range(2):
            pairs = [(page, vid) for page in self._holes(band) for vid in IDS]
            plain = r.Wiped if wiped else r.Allocated
            homes = [
                r.Forked(band, [page], [vid], original) if original else plain(band, [page], [vid])
                for page, vid in pairs
            ]
            home = self._first_legal(homes)
            if home is not None:
                return home
            appearing = [r.Appeared(band, page) for page in MEMBERS["page"]]
            room = self._first_legal([r.GrewLow(band, 1), r.GrewHigh(band, 1), *appearing])
            if room is None:
                return None
            self._write(room)
        return None

    def _some_steps(self, most: int, *kinds: type[Any]) -> None:
        """A few steps that nobody needs; rather moves, where they are among them."""
        for _ in range(self.rng.randrange(most) if kinds else 0):
            kind = r.Moved if r.Moved in kinds and self.rng.random() < 0.5 else self.rng.choice(kinds)
            step = self._first_legal([step for band in MEMBERS["band"] for step in self._steps(kind, band)])
            if step is not None:
                self._write(step)

    def _steps(self, kind: type[Any], band: int) -> list[Any]:
        s = self.known.state
        if kind is not r.Moved:
            return [kind(band, 1), kind(band, 2)]
        live = [page for page in range(s.lo[band], s.hi[band]) if s.status[band, page] == LIVE]
        return [r.Moved(band, [source], [target]) for source in live for target in self._holes(band)]

    def _holes(self, band: int) -> list[int]:
        s = self.known.state
        return [page for page in range(s.lo[band], s.hi[band]) if s.status[band, page] == FREE]

    def _first_legal(self, steps: Sequence[Any]) -> Any:
        for step in self.rng.sample(steps, len(steps)):
            try:
                self.known.copied().take(step)
            except Illegal:
                continue
            return step
        return None


def legal_trace(seed: int, calls: int) -> list[Any]:
    """A legal trace of so many calls, with a snapshot now and then and one at the end.

    With an even seed it begins with the empty arena, with an odd one in the middle of the work.
    """
    with enumerating():
        driver = Driver(seed)
        if seed % 2:
            for _ in range(12):
                driver.call()
            snapshot = driver.known.snapshot()
            driver.known, driver.records = Reference(), []
            driver._write(HEADER)
            driver._write(snapshot)
        for number in range(1, calls + 1):
            driver.call()
            if number % 5 == 0 or number == calls:
                driver.snapshot()
        driver.close()
    return driver.records
