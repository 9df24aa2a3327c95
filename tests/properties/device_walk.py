"""Random walks through small arenas with a device, in plain values, beside a simulated device that orders and lands."""

import random
from collections import Counter
from collections.abc import Callable, Iterator

from properties.specification import ON_DEVICE, Specification
from spec.catalog import Action
from spec.concrete import Addresses, Domains, ValueMap, small_state
from spec.device.state import DEVICE, OVER, PENDING
from spec.state import FREE, NONE, OUTSTANDING, READ, WRITE, State
from tests.properties.simulated import ALLOCATOR, TORN, Access, SimulatedDevice
from tests.properties.walk import Step

SIZES = (2, 1)
CAPACITY, TOP = 6, 6
TICKETS = range(3)
TRANSFER = 0
FRESH = 3
"""No action issues more accesses than these."""

MOST_PENDING = 5
"""More accesses than these do not wait for long."""

PROMISES = (
    "nothing that was issued before runs after it",
    "a ticket's stream waits for the allocator's stream",
    "and so for the tickets for which that waits",
    "it runs after the work of the tickets before",
    "the work of one ticket runs in the order in which it is issued",
    "nothing that was issued before runs after them",
    "the allocator's stream runs in the order in which work is issued",
    "it waits for the tickets that were settled",
)
"""What streams and events see to; everything else in a guard is up to the allocator and the driver."""


class BrokenPromise(AssertionError):
    """The device runs accesses in an order that the specification says no device does."""


class WrongBytes(AssertionError):
    """A read found something else than what was written for it."""


class Walk:
    """A walk. What each read must find is noted here, in numbers that are never written twice.

    A device may leave out waits (`forgets`); whether it keeps the specification's promises is checked, or `believed`.
    """

    def __init__(
        self,
        seed: int,
        *,
        whole: Specification = ON_DEVICE,
        forgets: frozenset[str] = frozenset(),
        believed: bool = False,
    ) -> None:
        self.rng, self.whole, self.believed = random.Random(seed), whole, believed
        self.members: dict[str, list[int]] = {
            "band": list(range(len(SIZES))),
            "page": list(range(-1, TOP + 1)),
            "vid": list(range(3)),
            "ticket": list(TICKETS),
            "publisher": [0],
            "value": list(range(3)),
            "mode": [READ, WRITE],
            "access": list(range(1, 1 + FRESH)),
        }
        self.domains = Domains(self.members)
        self.device = SimulatedDevice(lambda t: t == TRANSFER, self._runs_before, forgets)
        self.state = self._start()
        self.written: dict[tuple[int, int], int | None] = {}
        self.due: dict[int, int | None] = {}
        self.stamps = 0
        self.taken: Counter[str] = Counter()

    def steps(self, length: int) -> Iterator[Step]:
        """Legal steps, each action as often as it is possible; to be taken inside a universe of the domains."""
        for _ in range(length):
            self._renew_tickets()
            step = self._legal()
            self.state = step.after
            self.taken[step.action.name] += 1
            MIRRORED.get(step.action.name.removeprefix("device/"), _nothing)(self, step)
            yield step
            self._renew_accesses()

    def _start(self) -> State:
        ends = {(0,): 0, (1,): TOP}
        return small_state(
            self.domains,
            {
                "bands": len(SIZES),
                "base": 0,
                "capacity": CAPACITY,
                "bottom": 0,
                "top": TOP,
                "address": Addresses((0, 0), SIZES),
                "before": ValueMap({(t, u): self._runs_before(t, u) for t in TICKETS for u in TICKETS}, False, tuple),
                "is_transfer": ValueMap({(t,): t == TRANSFER for t in TICKETS}, False, tuple),
                "ahead": ValueMap({}, False, tuple),
                "garbage": -1,
            },
            {"lo": ends, "hi": ends},
            DEVICE,
        )

    def _runs_before(self, ticket: int, other: int) -> bool:
        return TRANSFER not in (ticket, other) and ticket < other

    # ------------------------------------------------------------------------------------------------------- choices

    def _legal(self, tries: int = 150) -> Step:
        shuffled = self.rng.sample(list(self.whole.actions.values()), len(self.whole.actions))
        lands = len(self.device.pending) > MOST_PENDING
        for action in sorted(shuffled, key=lambda a: (lands and a.name != "device/land", self.taken[a.name])):
            for _ in range(tries):
                arguments = self._arguments(action)
                s = self._ordered(action, arguments)
                if self._is_legal(action, s, arguments):
                    return Step(s, action, arguments, action.effect(s, *arguments))
        raise AssertionError("no action is possible, not even publish")

    def _arguments(self, action: Action) -> tuple[int, ...]:
        fresh = iter(self._fresh())
        issues = action.name not in ("device/land", "device/tear")
        return tuple(
            next(fresh) if sort == "access" and issues else self.rng.choice(self.members[sort]) for sort in action.sorts
        )

    def _fresh(self) -> list[int]:
        return self.members["access"][-FRESH:]

    def _ordered(self, action: Action, arguments: tuple[int, ...]) -> State:
        """The state with what the device would run before the accesses that the action issues."""
        issued = [x for x, sort in zip(arguments, action.sorts, strict=True) if sort == "access" and x in self._fresh()]
        if not issued:
            return self.state
        stream = arguments[0] if action.sorts[0] == "ticket" else ALLOCATOR
        known = sorted(self.device.order(stream, TICKETS))
        pairs = [(other, x) for i, x in enumerate(issued) for other in (*known, *issued[:i])]
        ahead: ValueMap = self.state.ahead
        return self.state.but(ahead=ValueMap({**ahead.entries, **dict.fromkeys(pairs, True)}, False, tuple))

    def _is_legal(self, action: Action, s: State, arguments: tuple[int, ...]) -> bool:
        promises = []
        for text, condition, _ in action.guard(s, *arguments):
            if text in PROMISES:
                promises.append((text, condition))
            elif condition is not True:
                return False
        for text, condition in promises:
            if condition is not True and not self.believed:
                raise BrokenPromise(f"{action.name}{arguments}: {text}")
        return True

    # ------------------------------------------------------------------------------------------------------ renewals

    def _renew_tickets(self) -> None:
        """There are few tickets: one that has retired, and of which nothing is pending, comes back as another."""
        s = self.state
        busy = {s.user[a] for a in self.members["access"] if s.phase[a] == PENDING and not s.is_own[a]}
        for ticket in TICKETS:
            if s.ending[ticket] != OUTSTANDING and ticket not in busy and self.rng.random() < 0.3:
                self.state = self.state.but(ending=self.state.ending.set(ticket, OUTSTANDING))
                self.device.renew(ticket)

    def _renew_accesses(self) -> None:
        """Only those accesses are kept to which something refers, beside a few that are new."""
        s = self.state
        pages = [key for key in self.domains.tuples(("band", "page")) if s.status[key] != FREE and s.filled[key]]
        named = {key for key in self.domains.tuples(("band", "vid")) if s.refs[key] > 0}
        named |= {
            (band, s.name[ticket, band, page])
            for ticket, band, page in self.domains.tuples(("ticket", "band", "page"))
            if s.held[ticket, band, page] != NONE
        }
        pending = [access for access in self.members["access"] if s.phase[access] == PENDING]
        kept = {*pending, *(s.origin[access] for access in pending)}
        kept |= {s.latest[key] for key in pages} | {s.renamed[key] for key in named}
        kept = {access for access in kept if s.phase[access] in (PENDING, OVER)}
        last = max(key for (key,) in s.phase.entries) if s.phase.entries else 0
        self.members["access"][:] = [*sorted(kept), *range(last + 1, last + 1 + FRESH)]

    # --------------------------------------------------------------------------------------------- the device beside it

    def stamp(self) -> int:
        """A number that was never written."""
        self.stamps += 1
        return self.stamps

    def issue(self, stream: int | str, access: Access) -> None:
        """The device is given an access."""
        self.device.issue(stream, access, TICKETS)

    def copy(self, band: int, source: int, target: int, reads: int, writes: int, content: int | None) -> None:
        """The device is given a copy, which must find the content if that is known."""
        if content is not None:
            self.due[reads] = content
        self.issue(ALLOCATOR, Access(reads, False, place(band, source)))
        self.issue(ALLOCATOR, Access(writes, True, place(band, target), lambda: self.copied(reads)))

    def copied(self, read: int) -> int | None:
        """What a copy's read found, if it was one thing."""
        found = self.device.found[read]
        return next(iter(found)) if len(found) == 1 else TORN

    def rename(self, band: int, vid: int, page: int, access: int) -> None:
        """The device is given a change of its page table."""
        self.issue(ALLOCATOR, Access(access, True, entry(band, vid), lambda: page))


def place(band: int, page: int) -> frozenset[object]:
    """The bytes of a page."""
    return frozenset(range(page * SIZES[band], (page + 1) * SIZES[band]))


def entry(band: int, vid: int) -> frozenset[object]:
    """The entry of a virtual page."""
    return frozenset({("entry", band, vid)})


Mirror = Callable[[Walk, Step], None]


def _nothing(walk: Walk, step: Step) -> None:
    """The device has no part in it."""


def _issue_read(walk: Walk, step: Step) -> None:
    ticket, band, page, access = step.arguments
    walk.due[access] = walk.written[band, step.before.name[ticket, band, page]]
    assert walk.due[access] is not None
    walk.issue(ticket, Access(access, False, place(band, page)))


def _issue_write(walk: Walk, step: Step) -> None:
    ticket, band, page, _, access = step.arguments
    stamp = walk.written[band, step.before.name[ticket, band, page]] = walk.stamp()
    walk.issue(ticket, Access(access, True, place(band, page), lambda: stamp))


def _look_up(walk: Walk, step: Step) -> None:
    ticket, band, page, access = step.arguments
    walk.due[access] = page
    walk.issue(ticket, Access(access, False, entry(band, step.before.name[ticket, band, page])))


def _settle(walk: Walk, step: Step) -> None:
    walk.device.settle(*step.arguments)


def _allocate(walk: Walk, step: Step) -> None:
    band, page, vid, renames = step.arguments
    walk.written[band, vid] = None
    walk.rename(band, vid, page, renames)


def _allocate_wiped(walk: Walk, step: Step) -> None:
    band, page, vid, _, wipes, renames = step.arguments
    stamp = walk.written[band, vid] = walk.stamp()
    walk.issue(ALLOCATOR, Access(wipes, True, place(band, page), lambda: stamp))
    walk.rename(band, vid, page, renames)


def _fork(walk: Walk, step: Step) -> None:
    band, page, vid, original, reads, writes, renames = step.arguments
    content = walk.written[band, vid] = walk.written[band, original]
    walk.copy(band, step.before.page_of[band, original], page, reads, writes, content)
    walk.rename(band, vid, page, renames)


def _move(walk: Walk, step: Step) -> None:
    band, source, target, reads, writes, renames = step.arguments
    vid = step.before.vid_at[band, source]
    walk.copy(band, source, target, reads, writes, walk.written[band, vid])
    walk.rename(band, vid, target, renames)


def _land(walk: Walk, step: Step) -> None:
    (access,) = step.arguments
    assert walk.device.may_happen(access)
    walk.device.land(access)
    if access in walk.due and walk.device.found[access] != {walk.due.pop(access)}:
        raise WrongBytes(f"access {access}")


def _tear(walk: Walk, step: Step) -> None:
    (access,) = step.arguments
    assert walk.device.may_happen(access)
    walk.device.tear(access)


MIRRORED: dict[str, Mirror] = {
    "issue-read": _issue_read,
    "issue-write": _issue_write,
    "look-up": _look_up,
    "settle": _settle,
    "allocate": _allocate,
    "allocate-wiped": _allocate_wiped,
    "fork": _fork,
    "move": _move,
    "land": _land,
    "tear": _tear,
}
"""What each action means to the simulated device."""
