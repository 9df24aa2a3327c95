"""What is wrong with a call or a step before any page is looked at."""

from collections.abc import Callable
from typing import Any

from events import records as r
from spec.judge.arena import GARBAGE, JudgedArena
from spec.judge.rules import Answer
from spec.judge.verdict import Problem
from spec.ranges import Exists
from spec.words import writers

Check = Callable[[JudgedArena, Any], Problem | None]


def call_problem(s: JudgedArena, call: Any) -> Problem | None:
    """What makes a call a misuse whatever the state of any page."""
    check = _CALLS.get(type(call))
    return check(s, call) if check is not None else None


def step_problem(s: JudgedArena, call: Any, step: Any, answer: Answer) -> str | None:
    """What is wrong with a step of this call; `answer` says what its steps so far came to."""
    kind = type(step)
    if kind is r.Refused:
        return None
    if kind is r.Settled:
        if step.ticket not in call.settle:
            return f"the call did not allow to settle ticket {step.ticket}"
        return None if s.order.is_open(step.ticket) else f"ticket {step.ticket} has retired already"
    if step.band >= s.bands:
        return f"there is no band {step.band}"
    if kind is r.Forked and not len(step.pages) == len(step.ids) == len(step.copied):
        return f"{len(step.pages)} pages and {len(step.ids)} ids for {len(step.copied)} originals"
    if kind is r.Forked and len(answer.given.get(step.band, ())) != len(answer.originals.get(step.band, ())):
        return "the copies of a band come before its other pages"
    if kind in (r.Allocated, r.Wiped) and len(step.pages) != len(step.ids):
        return f"{len(step.pages)} pages for {len(step.ids)} ids"
    if kind is r.Moved:
        if len(step.sources) != len(step.targets):
            return f"{len(step.sources)} sources for {len(step.targets)} targets"
        moved_bytes = answer.moved_bytes + len(step.sources) * s.address.sizes[step.band]
        if type(call) is r.Compact and moved_bytes > call.budget:
            return f"{moved_bytes} bytes moved, and only {call.budget} allowed"
    return None


def _allocate(s: JudgedArena, call: r.Allocate) -> Problem | None:
    if len(call.demand) != s.bands:
        return "agreement", f"the demand must say how many pages of each of the {s.bands} bands"
    for ticket in call.settle:
        if not s.order.is_open(ticket) or s.is_transfer[ticket]:
            return "agreement", f"ticket {ticket} cannot be settled: it is not outstanding, or is a transfer"
    return _originals(s, call) if call.originals else None


def _originals(s: JudgedArena, call: r.Allocate) -> Problem | None:
    if len(call.originals) != s.bands:
        return "agreement", f"the originals must be said of each of the {s.bands} bands, or of none"
    for band, originals in enumerate(call.originals):
        if len(originals) > call.demand[band]:
            return "agreement", f"{len(originals)} originals for {call.demand[band]} pages of band {band}"
        for original in originals:
            if s.refs[band, original] < 1:
                return "content", f"id {original} of band {band}, to be copied, is not alive"
            page = s.page_of[band, original]
            if Exists(writers(s, band, page), lambda ticket: ticket not in call.settle):
                return (
                    "content",
                    f"id {original} of band {band}, to be copied, is held for writing by others than may be settled",
                )
    return None


def _open(s: JudgedArena, call: r.Open) -> Problem | None:
    problem = s.order.problem(call.ticket, call.user, call.stream, call.waits)
    return ("agreement", problem) if problem else None


def _on_a_band(s: JudgedArena, call: r.Share | r.Release | r.Land) -> Problem | None:
    return None if call.band < s.bands else ("agreement", f"there is no band {call.band}")


def _of_a_ticket(protects: str) -> Check:
    """The call needs an outstanding ticket; this is the property that fails if it is given a retired one."""

    def check(s: JudgedArena, call: Any) -> Problem | None:
        if s.order.is_open(call.ticket):
            return None
        if call.ticket >= s.order.next_ticket:
            return "agreement", f"ticket {call.ticket} was never opened"
        return protects, f"ticket {call.ticket}: not so: the ticket has not retired"

    return check


_held, _written = _of_a_ticket("retired-hold-nothing"), _of_a_ticket("flights-are-held")


def _hold(s: JudgedArena, call: r.Hold) -> Problem | None:
    return _on_a_band(s, call) or _held(s, call)  # type: ignore[arg-type]  # it has a band


def _issue(s: JudgedArena, call: r.Issue) -> Problem | None:
    if len(call.pages) != len(call.values):
        return "agreement", f"{len(call.pages)} pages for {len(call.values)} values"
    if GARBAGE in call.values:
        return "agreement", f"the value {GARBAGE} is kept for garbage"
    return _on_a_band(s, call) or _written(s, call)  # type: ignore[arg-type]  # it has a band


def _land(s: JudgedArena, call: r.Land) -> Problem | None:
    if len(set(call.pages)) < len(call.pages):
        return "held-bytes-frozen", "a page is named twice, and the write in flight to it lands only once"
    return _on_a_band(s, call)


def _unpublish(s: JudgedArena, call: r.Unpublish) -> Problem | None:
    return None if s.published[call.who] else ("agreement", f"{call.who!r} has published nothing")


_CALLS: dict[type[Any], Check] = {
    r.Allocate: _allocate,
    r.Share: _on_a_band,
    r.Release: _on_a_band,
    r.Open: _open,
    r.Hold: _hold,
    r.Complete: _of_a_ticket("holdings-kept"),
    r.Settle: _of_a_ticket("holdings-kept"),
    r.Issue: _issue,
    r.Land: _land,
    r.Unpublish: _unpublish,
}
