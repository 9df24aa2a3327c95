"""Who touched which bytes last, and whether two touches of the same bytes are ordered."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from impl.device.runtime import Touch
from impl.device.simulated.clocks import Clock


class Access(NamedTuple):
    """One piece of work touches some bytes.

    Attributes:
        agent: the stream or the transfer that it belongs to.
        number: of the work among the doings of its agent.
        work: its name.
        ticket: whose it is; None for the allocator's own.
        touch: the bytes, and whether it writes them.
    """

    agent: str
    number: int
    work: str
    ticket: int | None
    touch: Touch

    def is_before(self, other: "Access", clock: Clock) -> bool:
        """Whether it is over before another, which comes behind this clock; what one piece touches is in order."""
        return clock.get(self.agent, 0) >= self.number or (self.agent, self.number) == (other.agent, other.number)

    def __str__(self) -> str:
        whose = "the allocator" if self.ticket is None else f"ticket {self.ticket}"
        verb = "writes" if self.touch.writes else "reads"
        where = f"bytes {self.touch.begin} to {self.touch.end} of {self.touch.memory} ({self.touch.what})"
        return f"{whose} ({self.work}, on {self.agent}) {verb} {where}"


class Race(Exception):
    """Two touches of the same bytes, of which one writes, and nothing orders them.

    Attributes:
        first: was done before, in this run.
        second: would be done now.
        begin: the first byte that they share.
        end: the byte after the last.
    """

    def __init__(self, first: Access, second: Access) -> None:
        self.first, self.second = first, second
        self.begin = max(first.touch.begin, second.touch.begin)
        self.end = min(first.touch.end, second.touch.end)
        super().__init__(f"{second}, and nothing orders it with: {first}")


@dataclass(slots=True)
class _Stretch:
    """Bytes that were touched alike: by the last write, and by reads after it, the last one of each agent."""

    write: Access | None = None
    reads: dict[str, Access] = field(default_factory=dict)


class Accesses:
    """Every memory, cut into stretches of bytes wherever a touch begins or ends.

    So pages of different sizes, which lie over one another at different times, are compared byte by byte.
    """

    def __init__(self) -> None:
        self._memories: dict[str, tuple[list[int], list[_Stretch]]] = {}

    def add(self, access: Access, clock: Clock) -> None:
        """Put down that bytes are touched now by what comes behind `clock`.

        Raises:
            Race: an earlier touch of some of these bytes is not ordered before it, and one of both writes.
        """
        begins, stretches = self._memories.setdefault(access.touch.memory, ([0], [_Stretch()]))
        first = _cut(begins, stretches, access.touch.begin)
        last = _cut(begins, stretches, access.touch.end)
        for stretch in stretches[first:last]:
            self._check(stretch, access, clock)
        if access.touch.writes:
            begins[first:last] = [access.touch.begin]
            stretches[first:last] = [_Stretch(access)]
        else:
            for stretch in stretches[first:last]:
                stretch.reads[access.agent] = access

    def _check(self, stretch: _Stretch, access: Access, clock: Clock) -> None:
        if stretch.write is not None and not stretch.write.is_before(access, clock):
            raise Race(stretch.write, access)
        if access.touch.writes:
            for read in stretch.reads.values():
                if not read.is_before(access, clock):
                    raise Race(read, access)


def _cut(begins: list[int], stretches: list[_Stretch], at: int) -> int:
    """The place of the stretch that begins at a byte; one is cut in two if it must be."""
    place = bisect_left(begins, at)
    if place == len(begins) or begins[place] != at:
        whole = stretches[bisect_right(begins, at) - 1]
        begins.insert(place, at)
        stretches.insert(place, _Stretch(whole.write, dict(whole.reads)))
    return place
