"""Where an allocator and the judge contradict each other: what each of them says."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from bandgap.history.order import Openings
from bandgap.phrases import listed, numbered
from events import records as r
from spec.judge.arena import JudgedArena
from spec.judge.judge import Judge
from spec.judge.page_actions import PAGE_ACTIONS
from spec.judge.verdict import Finding

Side = tuple[str, str]
"""Who, and what it says."""

_TABLES: Final = re.compile(r"; by the allocator it is (.+), by the judge (.+)$", re.DOTALL)
"""How two tables are told that are short and differ."""

_END: Final = re.compile(r"\(('[^']*'|\"[^\"]*\"), (\d+)\)")

MOST_PAGES: Final = 4
"""So many pages of one call have the order of their holders told."""


def sides_of(
    records: Sequence[Any], finding: Finding | None, problem: str, rejection: BaseException | None
) -> tuple[Side, ...]:
    """Both tables where they differ; of a call that was rejected, what for, and why it is legal; else nothing.

    Args:
        records: of the trace, up to what broke.
        finding: the judge's, if it was the judge who saw it.
        problem: what was seen.
        rejection: the error with which the allocator rejected the last call, if it is at hand.
    """
    tables = _TABLES.search(problem)
    if tables is not None:
        tell = _streams if problem.startswith("what the next ticket of a stream") else str
        return ("the allocator says", tell(tables[1])), ("the judge says", tell(tables[2]))
    if finding is None or not isinstance(finding.record, r.End) or finding.record.outcome != "failed":
        return ()
    place = max((at for at, record in enumerate(records) if isinstance(record, r.Call)), default=None)
    if place is None:
        return ()
    call, judge, openings = records[place], Judge(), Openings()
    for record in records[:place]:
        judge.take(record)
    if judge.state is None:
        return ()
    _open(openings, records[:place], judge.state)
    said = str(rejection) if rejection is not None else "it is a misuse; the reason is not in the trace"
    return ("the allocator says", said), *(("the judge says", each) for each in _legal(judge.state, call, openings))


def _streams(table: str) -> str:
    """The ends of streams, as (stream, ticket), by streams."""
    ends: dict[str, list[int]] = {}
    for stream, ticket in _END.findall(table):
        ends.setdefault(stream, []).append(int(ticket))
    said = [f"on {stream} after {numbered('ticket', tickets)}" for stream, tickets in ends.items()]
    return f"what is opened next runs {', '.join(said)}" if said else table


def _open(openings: Openings, records: Sequence[Any], s: JudgedArena) -> None:
    openings.order = s.order
    for record in records:
        if isinstance(record, r.Open) and s.order.is_open(record.ticket):
            openings.waits[record.ticket] = tuple(record.waits)


def _legal(s: JudgedArena, call: Any, openings: Openings) -> Iterator[str]:
    """Why it is legal: what its guard asks for, and the order of tickets that it rests on."""
    if isinstance(call, r.Hold):
        for vid in call.ids[:MOST_PAGES]:
            yield _holders(s, call, vid, openings)
    elif isinstance(call, r.Open):
        problem = s.order.problem(call.ticket, call.user, call.stream, call.waits)
        yield problem or f"ticket {call.ticket} is new, and a {call.user} may be opened like that"
    if type(call) in PAGE_ACTIONS:
        action, arguments_of = PAGE_ACTIONS[type(call)]
        sentences = dict.fromkeys(text for each in arguments_of(call) for text, _, _ in action.guard(s, *each))
        if sentences:
            yield f"all that {action.name} asks for is so: {'; '.join(sentences)}"


def _holders(s: JudgedArena, call: r.Hold, vid: int, openings: Openings) -> str:
    page = s.page_of[call.band, vid]
    others = [ticket for (ticket,) in sorted(s.listings["holders"](call.band, page)) if ticket != call.ticket]
    where = f"page {page:,}, where id {vid:,} lives"
    if not others:
        return f"no other ticket holds {where}"
    reasons = [why for other in others[:MOST_PAGES] if (why := openings.why(other, call.ticket))]
    if not reasons:
        return f"{where}, is only read, by {numbered('ticket', others)} too"
    return f"{numbered('ticket', others)} {'holds' if len(others) == 1 else 'hold'} {where}; {listed(reasons)}"
