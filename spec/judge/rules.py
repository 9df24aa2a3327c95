"""Which steps each call may have, and whether what the driver was given agrees with them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from events import records as r
from spec.judge.verdict import Problem

LAYOUT: frozenset[type[Any]] = frozenset({r.GrewLow, r.GrewHigh, r.AbsorbedLow, r.AbsorbedHigh, r.Appeared})
SHRINKS: frozenset[type[Any]] = frozenset({r.AbsorbedLow, r.AbsorbedHigh})

STEPS_OF: dict[type[Any], frozenset[type[Any]]] = {
    r.Allocate: LAYOUT | {r.Allocated, r.Wiped, r.Forked, r.Moved, r.Settled, r.Refused},
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

STEPS: frozenset[type[Any]] = frozenset().union(*STEPS_OF.values())


@dataclass(slots=True)
class Answer:
    """What the steps of a call came to. It grows with the pages that are allocated, not with the steps."""

    given: dict[int, list[int]] = field(default_factory=dict)  # by band
    originals: dict[int, list[int]] = field(default_factory=dict)  # of which the first of them are copies
    unwiped: int = 0  # pages that promise no contents
    wiped: int = 0
    refusals: int = 0
    settled: int = 0
    moved_bytes: int = 0

    def note(self, step: Any, page_bytes: Sequence[int]) -> None:
        """One more step, which was legal; `page_bytes` are of each band."""
        kind = type(step)
        if kind is r.Allocated or kind is r.Wiped:
            self.given.setdefault(step.band, []).extend(step.ids)
            if kind is r.Wiped:
                self.wiped += len(step.ids)
            else:
                self.unwiped += len(step.ids)
        elif kind is r.Forked:
            self.given.setdefault(step.band, []).extend(step.ids)
            self.originals.setdefault(step.band, []).extend(step.copied)
        elif kind is r.Refused:
            self.refusals += 1
        elif kind is r.Settled:
            self.settled += 1
        elif kind is r.Moved:
            self.moved_bytes += len(step.sources) * page_bytes[step.band]


def end_problem(call: Any, end: r.End, answer: Answer) -> Problem | None:
    """What is wrong with the way a legal call ended, after these steps."""
    if end.outcome == "failed":
        return "agreement", "the allocator rejected a legal call as a misuse"
    if isinstance(call, r.Allocate):
        return _refusal_problem(end, answer) if end.outcome == "refused" else _grant_problem(call, end, answer)
    if end.outcome == "refused":
        return "agreement", "only an allocation can be refused"
    if end.ids:
        return "agreement", "only an allocation gives ids"
    return None


def _refusal_problem(end: r.End, answer: Answer) -> Problem | None:
    if any(answer.given.values()):
        counts = {band: len(ids) for band, ids in answer.given.items()}
        return "all-or-nothing", f"a refused demand left pages allocated, by band: {counts}"
    if answer.settled:
        return "all-or-nothing", "a refused demand settled tickets"
    if answer.refusals != 1:
        return "agreement", f"a refused demand has one step that says why, not {answer.refusals}"
    if any(end.ids):
        return "agreement", "the demand was refused and the driver was given ids"
    return None


def _grant_problem(call: r.Allocate, end: r.End, answer: Answer) -> Problem | None:
    if answer.refusals:
        return "agreement", "the allocator wrote a refusal and the driver was given pages"
    given = [answer.given.get(band, []) for band in range(len(call.demand))]
    counts = [len(ids) for ids in given]
    if counts != list(call.demand):
        return "all-or-nothing", f"{list(call.demand)} pages of each band were asked for, and {counts} allocated"
    copied = [answer.originals.get(band, []) for band in range(len(call.demand))]
    if copied != (call.originals or [[] for _ in call.demand]):
        return "agreement", f"copies of {call.originals} were asked for, by band, and {copied} were copied"
    if answer.unwiped if call.wipe else answer.wiped:
        asked, done = ("wiped", answer.unwiped) if call.wipe else ("left as they are", answer.wiped)
        return "agreement", f"pages were to be {asked}, and {done} were not"
    if end.ids != given:
        return "agreement", "the driver was given other ids than the allocator's steps say"
    return None
