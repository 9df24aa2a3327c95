"""Which steps each call may have, and whether what the driver was given agrees with them."""

from collections.abc import Sequence
from typing import Any

from events import records as r

LAYOUT: frozenset[type[Any]] = frozenset({r.GrewLow, r.GrewHigh, r.AbsorbedLow, r.AbsorbedHigh, r.Appeared})
SHRINKS: frozenset[type[Any]] = frozenset({r.AbsorbedLow, r.AbsorbedHigh})

STEPS_OF: dict[type[Any], frozenset[type[Any]]] = {
    r.Allocate: LAYOUT | {r.Allocated, r.Moved, r.Settled, r.Refused},
    r.Compact: LAYOUT | {r.Moved},
    r.Release: SHRINKS,
    r.Complete: SHRINKS,
    r.Settle: SHRINKS,
    r.Drain: SHRINKS,
    r.Unpublish: SHRINKS,
    r.Publish: frozenset(),
    r.Share: frozenset(),
    r.Open: frozenset(),
    r.Hold: frozenset(),
    r.Issue: frozenset(),
    r.Land: frozenset(),
}
"""Other steps were asked for by no call."""


def end_problem(call: Any, end: r.End, steps: Sequence[Any]) -> tuple[str, str] | None:
    """What is wrong with the way a legal call ended, and the property or check it fails; the steps came before."""
    if end.outcome == "failed":
        return "agreement", "the allocator rejected a legal call as a misuse"
    if isinstance(call, r.Allocate):
        return _allocation_problem(call, end, steps)
    if end.outcome == "refused":
        return "agreement", "only an allocation can be refused"
    if end.ids:
        return "agreement", "only an allocation gives ids"
    return None


def _allocation_problem(call: r.Allocate, end: r.End, steps: Sequence[Any]) -> tuple[str, str] | None:
    given: list[list[int]] = [[] for _ in call.demand]
    refusals = 0
    for step in steps:
        if isinstance(step, r.Allocated):
            given[step.band] += step.ids
        elif isinstance(step, r.Refused):
            refusals += 1
    counts = [len(ids) for ids in given]
    if end.outcome == "refused":
        if any(counts):
            return "all-or-nothing", f"a refused demand left pages allocated: {counts} of each band"
        if refusals != 1:
            return "agreement", f"a refused demand has one step that says why, not {refusals}"
        return None
    if refusals:
        return "agreement", "the allocator wrote a refusal and the driver was given pages"
    if counts != list(call.demand):
        return "all-or-nothing", f"{list(call.demand)} pages of each band were asked for, and {counts} allocated"
    if end.ids != given:
        return "agreement", "the driver was given other ids than the allocator's steps say"
    return None
