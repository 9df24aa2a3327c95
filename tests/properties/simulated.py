"""A device with real streams, events and bytes, which knows nothing of the specification: the order in which it runs
accesses follows from its streams alone, and what it has in its memory from what has landed there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

ALLOCATOR = "the allocator's stream"
TORN = -1
"""What a byte shows that was written in part."""

Stream = str | int
"""The allocator's, or a ticket's."""


@dataclass(frozen=True)
class Access:
    """What was issued: a reading or a writing of some bytes, or of an entry of the page table."""

    number: int
    writes: bool
    place: frozenset[object]
    """Its bytes, or its entry."""
    source: Callable[[], int | None] | None = None
    """What a write leaves, asked when it lands."""


@dataclass
class SimulatedDevice:
    """`knows` has, of each stream, the accesses that are over before whatever is issued on it next may begin."""

    is_transfer: Callable[[int], bool]
    runs_before: Callable[[int, int], bool]
    forgets: frozenset[str] = frozenset()
    """Waits that are left out."""
    knows: dict[Stream, set[int]] = field(default_factory=dict)
    before: dict[int, frozenset[int]] = field(default_factory=dict)
    """Of each pending access, what the device runs before it."""
    pending: dict[int, Access] = field(default_factory=dict)
    memory: dict[object, int | None] = field(default_factory=dict)
    found: dict[int, set[int | None]] = field(default_factory=dict)
    """What each read found at its bytes."""

    # ----------------------------------------------------------------------------------------------------- streams

    def order(self, stream: Stream, others: Iterable[int]) -> frozenset[int]:
        """What the device would run before an access that is issued now on a stream.

        Args:
            stream: a ticket, whose stream waits for the allocator's stream and for the tickets before it; or the
                allocator's.
            others: the tickets there are.
        """
        known = set(self.knows.get(stream, ()))
        if isinstance(stream, int):
            if self.is_transfer(stream):
                return frozenset()
            if "a ticket waits for the allocator's stream" not in self.forgets:
                known |= self.knows.get(ALLOCATOR, set())
            for other in others:
                if self.runs_before(other, stream):
                    known |= self.knows.get(other, set())
        return frozenset(known)

    def issue(self, stream: Stream, access: Access, others: Iterable[int]) -> None:
        """The access is issued on the stream."""
        before = self.before[access.number] = self.order(stream, others)
        self.pending[access.number] = access
        self.knows[stream] = {*before, access.number}

    def settle(self, ticket: int) -> None:
        """The allocator's stream waits for the ticket's."""
        if "the allocator's stream waits for settled tickets" not in self.forgets:
            self.knows[ALLOCATOR] = self.knows.get(ALLOCATOR, set()) | self.knows.get(ticket, set())

    def renew(self, ticket: int) -> None:
        """Another ticket of the same number, with a stream of its own."""
        self.knows[ticket] = set()

    # -------------------------------------------------------------------------------------------------------- memory

    def may_happen(self, number: int) -> bool:
        """Whether everything that runs before a pending access is over."""
        return number in self.pending and not self.before[number] & self.pending.keys()

    def land(self, number: int) -> None:
        """The access happens."""
        access = self.pending.pop(number)
        if access.source is None:
            self.found[number] = {self.memory.get(at) for at in access.place}
        else:
            value = access.source()
            self.memory.update(dict.fromkeys(access.place, value))

    def tear(self, number: int) -> None:
        """A write arrives in part."""
        access = self.pending[number]
        if access.writes:
            self.memory.update(dict.fromkeys(access.place, TORN))

    def races(self) -> list[tuple[int, int]]:
        """The pairs of pending accesses to the same place, of which one writes, that may run in either order."""
        return [
            (one.number, two.number)
            for one in self.pending.values()
            for two in self.pending.values()
            if one.number < two.number
            and (one.writes or two.writes)
            and one.place & two.place
            and one.number not in self.before[two.number]
            and two.number not in self.before[one.number]
        ]
