"""Whether a demand was met by the right step, or refused for the right reason."""

from collections.abc import Sequence, Set
from typing import NamedTuple

from events.records import Refused
from fuzz.oracle.situation import COMPACT_ENDS, IN_PLACE, NOBODY, RELAYOUT, Situation
from fuzz.violation import Violation

PROPERTIES = frozenset({"admission-sound", "admission-complete", "lowest-step", "honest-refusal"})
"""What is checked here."""

STEPS = (IN_PLACE, COMPACT_ENDS, RELAYOUT)


class Met(NamedTuple):
    """How a demand was met: the step as the allocator names it, the tickets that were settled, the bands that moved."""

    step: int
    settled: Sequence[int]
    moved: Set[int]


def check_grant(
    case: Situation, demand: Sequence[int], settle: Sequence[int], met: Met, must: Sequence[int] = ()
) -> None:
    """Raise Violation unless a demand that was met could be, and no lower step or fewer tickets would have done.

    Args:
        case: before the call.
        demand: pages of each band.
        settle: tickets that might be settled, in the order in which they should be.
        met: what was done.
        must: those of them that had to be settled first, whether that makes room or not.
    """
    order = list(dict.fromkeys((*must, *settle)))
    least, settled = frozenset(must), frozenset(met.settled)
    if not case.is_feasible(demand, met.step, settled):
        raise Violation("admission-sound", f"a demand of {list(demand)} was met, for which there is no layout")
    for step in STEPS[: met.step]:
        if (step < met.step or settled > least) and case.is_feasible(demand, step, least):
            raise Violation("lowest-step", f"{_said(met)}, and step {step} would do")
        if step < met.step and case.is_feasible(demand, step, frozenset(order)):
            raise Violation("lowest-step", f"{_said(met)}, and step {step} would do with tickets settled")
    if list(met.settled) != order[: len(met.settled)] or settled < least:
        raise Violation("lowest-step", f"{_said(met)}, and tickets should be settled in the order {order}")
    if settled > least and case.is_feasible(demand, met.step, frozenset(met.settled[:-1])):
        raise Violation("lowest-step", f"{_said(met)}, and one ticket less would do")
    if met.moved and not met.moved <= _may_move(met.step, len(demand)):
        raise Violation("lowest-step", f"{_said(met)}, and pages of bands {sorted(met.moved)} moved")


def _may_move(step: int, bands: int) -> Set[int]:
    """The bands of which a step moves pages."""
    return {IN_PLACE: set[int](), COMPACT_ENDS: {0, bands - 1}, RELAYOUT: set(range(bands))}[step]


def check_refusal(case: Situation, demand: Sequence[int], settle: Sequence[int], refused: Refused) -> None:
    """Raise Violation unless a demand that was refused had to be, and the reason is the first that applies, exactly."""
    if case.is_feasible(demand, RELAYOUT, frozenset(settle)):
        raise Violation("admission-complete", f"a demand of {list(demand)} was refused, for which there is a layout")
    problem = _dishonesty(case, demand, refused)
    if problem:
        raise Violation("honest-refusal", f"a demand of {list(demand)} was refused with {refused.reason!r}: {problem}")


def _dishonesty(case: Situation, demand: Sequence[int], refused: Refused) -> str | None:
    fits_empty = case.fits_empty(demand)
    if fits_empty == (refused.reason == "never"):
        return f"an empty arena {'could' if fits_empty else 'could not'} hold it"
    if not fits_empty:
        return None
    after_tickets = case.is_feasible(demand, RELAYOUT, case.holders)
    after_all = after_tickets or case.is_feasible(demand, RELAYOUT, case.holders, gate_open=True)
    if after_all != (refused.reason == "after-release"):
        return f"it {'fits' if after_all else 'does not fit'} once everybody retires and leaves"
    if after_all:
        return _release_problem(case, demand, refused, gate_matters=not after_tickets)
    return _eviction_problem(case, demand, refused)


def _release_problem(case: Situation, demand: Sequence[int], refused: Refused, gate_matters: bool) -> str | None:
    leaving = frozenset(refused.publishers)
    if leaving != (case.publishers if gate_matters else NOBODY):
        return f"that {sorted(leaving)} leave, of {sorted(case.publishers)}, is {'not ' if gate_matters else ''}enough"
    named = frozenset(refused.tickets)
    if not case.is_feasible(demand, RELAYOUT, named, gate_open=gate_matters):
        return f"it does not fit once tickets {sorted(named)} retire"
    for ticket in named:
        if case.is_feasible(demand, RELAYOUT, named - {ticket}, gate_open=gate_matters):
            return f"of tickets {sorted(named)}, ticket {ticket} is not needed"
    return None


def _eviction_problem(case: Situation, demand: Sequence[int], refused: Refused) -> str | None:
    said = list(refused.evict)
    if len(said) == len(demand) and all(_is_least(case, demand, band, count) for band, count in enumerate(said)):
        return None
    least = [_least_eviction(case, demand, band) for band in range(len(demand))]
    return f"the least counts of pages to evict are {least}, and it says {said}"


def _is_least(case: Situation, demand: Sequence[int], band: int, count: int | None) -> bool:
    """Whether a demand fits without so many live pages of a band and not with one more; none if it never fits."""
    if count is None:
        return not case.fits_after_eviction(demand, band, case.live[band])
    if not 0 <= count <= case.live[band] or not case.fits_after_eviction(demand, band, count):
        return False
    return count == 0 or not case.fits_after_eviction(demand, band, count - 1)


def _least_eviction(case: Situation, demand: Sequence[int], band: int) -> int | None:
    """The fewest live pages of a band without which a demand fits; fewer pages never fit less."""
    too_few, enough = -1, case.live[band] + 1
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if middle <= case.live[band] and case.fits_after_eviction(demand, band, middle):
            enough = middle
        else:
            too_few = middle
    return enough if enough <= case.live[band] else None


def _said(met: Met) -> str:
    return f"a demand was met by step {met.step}{f', settling {list(met.settled)}' if met.settled else ''}"
