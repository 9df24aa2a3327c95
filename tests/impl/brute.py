"""Admission by exhaustive search, from a header and a snapshot alone.

Every span of every band is tried. Nothing is shared with the allocator but the records of a trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from math import gcd, inf

from events.records import Header, Snapshot

INFEASIBLE = None


@dataclass(frozen=True)
class Situation:
    """What matters for admission: per band the live pages, those in use, and those that may not move."""

    header: Header
    live: tuple[frozenset[int], ...]
    in_use: tuple[frozenset[int], ...]
    held: tuple[frozenset[int], ...]
    gated: bool

    def demanding(self, demand: Sequence[int], step: int) -> "Problem":
        """The search for spans that meet a demand with the moves of a step."""
        last = len(demand) - 1
        fixed = []
        for band, (in_use, held) in enumerate(zip(self.in_use, self.held, strict=True)):
            may_move = not self.gated and (step == 3 or (step == 2 and band in (0, last)))
            fixed.append(held if may_move else in_use)
        needs = tuple(len(in_use) + count for in_use, count in zip(self.in_use, demand, strict=True))
        return Problem(self.header, self.live, tuple(fixed), needs)


@dataclass(frozen=True)
class Problem:
    """Spans to be found: which pages each must contain, how many at least, and which cost something outside."""

    header: Header
    live: tuple[frozenset[int], ...]
    fixed: tuple[frozenset[int], ...]
    needs: tuple[int, ...]

    def spans_of(self, band: int) -> list[tuple[int, int, int]]:
        """Every span that a band may have: first byte, end byte, cost in bytes. Empty ones begin where they end."""
        header, record = self.header, self.header.bands[band]
        is_first, is_last = band == 0, band == len(header.bands) - 1
        fixed, live, need = self.fixed[band], self.live[band], self.needs[band]
        pages = (header.capacity - record.origin) // record.page_bytes
        outside_below = list(accumulate((page in live for page in range(pages)), initial=0))
        spans = []
        for lo in [header.bottom] if is_first else range(pages + 1):
            if fixed and lo > min(fixed):
                break
            if lo < pages and record.origin + lo * record.page_bytes < header.base:
                continue
            for hi in [header.top] if is_last else range(lo, pages + 1):
                if hi - lo >= need and (not fixed or max(fixed) < hi):
                    outside = outside_below[lo] + len(live) - outside_below[hi]
                    start, end = (record.origin + page * record.page_bytes for page in (lo, hi))
                    spans.append((start, end, outside * record.page_bytes))
        return spans

    def least_cost(self) -> int | None:
        """The fewest bytes that must move, or none if there are no such spans.

        Every span is tried at every place where those of the bands above it leave room.
        """
        header = self.header
        every = [self.spans_of(band) for band in range(len(self.needs))]
        # all addresses are multiples of this many bytes
        unit = gcd(header.base, header.capacity, *(number for spans in every for span in spans for number in span[:2]))
        places = range(header.capacity // unit + 1)
        # the least cost of the bands above, for each place from which on they may lie
        above = [0.0 for _ in places]
        for spans in reversed(every):
            beginning = [inf for _ in range(len(places) + 1)]
            empty = inf
            for start, end, cost in spans:
                if start == end:
                    empty = min(empty, cost)
                else:
                    place = start // unit
                    beginning[place] = min(beginning[place], cost + above[end // unit])
            for place in reversed(places):
                beginning[place] = min(beginning[place], beginning[place + 1])
            above = [min(beginning[place], empty + above[place]) for place in places]
        least = above[header.base // unit]
        return None if least == inf else int(least)

    def least_cost_naively(self) -> int | None:
        """The same by trying every combination of spans."""
        best: int | None = None
        for spans in product(*(self.spans_of(band) for band in range(len(self.needs)))):
            taken = [(start, end) for start, end, _ in spans if start < end]
            if all(one[1] <= other[0] for one, other in pairwise(taken)):
                cost = sum(span[2] for span in spans)
                best = cost if best is None else min(best, cost)
        return best


def situation(header: Header, snapshot: Snapshot, retired: frozenset[int], left: frozenset[str]) -> Situation:
    """What would be the case if these tickets had retired and these publishers had left."""
    live = tuple(frozenset(band.pages) for band in snapshot.bands)
    held: list[set[int]] = [set() for _ in snapshot.bands]
    for ticket in snapshot.tickets:
        if ticket.ticket not in retired:
            for entry in ticket.entries:
                held[entry.band].add(entry.page)
    in_use = tuple(living | kept for living, kept in zip(live, map(frozenset, held), strict=True))
    gated = bool(set(snapshot.publishers) - left)
    return Situation(header, live, in_use, tuple(map(frozenset, held)), gated)


@dataclass(frozen=True)
class Expected:
    """What an exact planner must say."""

    step: int
    settle: tuple[int, ...]
    bytes_moved: int


def expected_plan(header: Header, snapshot: Snapshot, demand: Sequence[int], settle: Sequence[int]) -> Expected | None:
    """The lowest step, the shortest prefix that suffices, the fewest bytes; none if the demand must be refused."""
    for step in (1, 2, 3):
        for length in range(len(settle) + 1):
            prefix = tuple(settle[:length])
            case = situation(header, snapshot, frozenset(prefix), frozenset())
            cost = case.demanding(demand, step).least_cost()
            if cost is not None:
                return Expected(step, prefix, cost)
    return None


def fits_when_released(
    header: Header, snapshot: Snapshot, demand: Sequence[int], tickets: frozenset[int], publishers: frozenset[str]
) -> bool:
    """Whether a demand fits, by whatever moves, once these tickets retired and these publishers left."""
    return situation(header, snapshot, tickets, publishers).demanding(demand, 3).least_cost() is not None


def fits_empty(header: Header, demand: Sequence[int]) -> bool:
    """Whether an empty arena could hold a demand."""
    nothing = tuple(frozenset[int]() for _ in demand)
    return Problem(header, nothing, nothing, tuple(demand)).least_cost() is not None


def least_evictions(header: Header, snapshot: Snapshot, demand: Sequence[int]) -> list[int | None]:
    """For each band the least count of its live pages without which the demand fits, when nothing is held."""
    live = [len(band.pages) for band in snapshot.bands]
    nothing = tuple(frozenset[int]() for _ in demand)
    evictions: list[int | None] = []
    for band in range(len(demand)):
        for given_up in range(live[band] + 1):
            needs = [count + more for count, more in zip(live, demand, strict=True)]
            needs[band] -= given_up
            if Problem(header, nothing, nothing, tuple(needs)).least_cost() is not None:
                evictions.append(given_up)
                break
        else:
            evictions.append(None)
    return evictions
