"""The fewest bytes that legal page actions must move until a demand can be met, by search over all sequences of them.

Nothing is assumed about layouts: spans grow and shrink by single pages, floats appear anywhere, and every live page
that may move is tried in every hole of its band.
"""

import heapq
from collections.abc import Iterator, Sequence
from itertools import count

from events.records import Header, Snapshot
from tests.impl.brute import Situation

Band = tuple[int, int, frozenset[int], frozenset[int]]
"""The span, the live pages, and those that are withheld."""

State = tuple[Band, ...]


def least_cost_by_steps(snapshot: Snapshot, case: Situation, demand: Sequence[int], step: int) -> int | None:
    """The fewest bytes, or none if no sequence of page actions makes enough holes of each band.

    Args:
        snapshot: the spans as they are.
        case: everything else as it is, tickets that are to be settled left out.
        demand: pages of each band.
        step: 1 if nothing may move, 2 if pages of the two ends may, 3 if any may.
    """
    bands = range(len(demand))
    movable = [band for band in bands if step == 3 or (step == 2 and band in (0, len(demand) - 1))]
    start = tuple(
        (its.lo, its.hi, live, in_use - live)
        for its, live, in_use in zip(snapshot.bands, case.live, case.in_use, strict=True)
    )
    order = count()
    queue: list[tuple[int, int, State]] = [(0, next(order), start)]
    done: set[State] = set()
    while queue:
        cost, _, state = heapq.heappop(queue)
        if state in done:
            continue
        done.add(state)
        if all(hi - lo - len(live) - len(withheld) >= demand[b] for b, (lo, hi, live, withheld) in enumerate(state)):
            return cost
        for bytes_moved, after in _actions(case, state, [] if case.gated else movable):
            if after not in done:
                heapq.heappush(queue, (cost + bytes_moved, next(order), after))
    return None


def _actions(case: Situation, state: State, movable: Sequence[int]) -> Iterator[tuple[int, State]]:
    header = case.header
    for band, (lo, hi, live, withheld) in enumerate(state):
        used = live | withheld
        spans = []
        if band > 0 and lo < hi:
            spans += [(lo - 1, hi)] + ([(lo + 1, hi)] if lo not in used else [])
        if band < len(state) - 1 and lo < hi:
            spans += [(lo, hi + 1)] + ([(lo, hi - 1)] if hi - 1 not in used else [])
        if lo == hi:
            spans += _appearing(header, band, lo)
        for span in spans:
            if _is_free(header, state, band, *span):
                yield 0, _with(state, band, (*span, live, withheld))
        if band in movable:
            for source in live:
                kept = withheld | {source} if source in case.held[band] else withheld
                for target in range(lo, hi):
                    if target not in used:
                        yield (
                            header.bands[band].page_bytes,
                            _with(state, band, (lo, hi, live - {source} | {target}, kept)),
                        )


def _appearing(header: Header, band: int, at: int) -> list[tuple[int, int]]:
    """The spans of one page that an empty one may become: anywhere, but at the ends where they are anchored."""
    if band == 0:
        return [(at, at + 1)]
    if band == len(header.bands) - 1:
        return [(at - 1, at)]
    record = header.bands[band]
    return [(page, page + 1) for page in range((header.capacity - record.origin) // record.page_bytes)]


def _is_free(header: Header, state: State, band: int, lo: int, hi: int) -> bool:
    """Whether a band may have this span while the others have theirs; empty ones are in nobody's way."""
    if lo == hi:
        return True
    record = header.bands[band]
    start, end = record.origin + lo * record.page_bytes, record.origin + hi * record.page_bytes
    if start < header.base or end > header.capacity:
        return False
    for other, (its_lo, its_hi, _, _) in enumerate(state):
        its = header.bands[other]
        if other < band and its_lo < its_hi and its.origin + its_hi * its.page_bytes > start:
            return False
        if other > band and its_lo < its_hi and its.origin + its_lo * its.page_bytes < end:
            return False
    return True


def _with(state: State, band: int, changed: Band) -> State:
    return (*state[:band], changed, *state[band + 1 :])
