"""Whether an allocator's own tables say what the judge's state says."""

from collections.abc import Iterator
from typing import Any, Final

from events.records import Snapshot, TicketState
from spec.judge.arena import JudgedArena
from spec.judge.opening import MODES
from spec.state import LIVE, READ, WITHHELD

MOST_NAMED: Final = 4
"""Of what only one of them has."""

MOST_TOLD: Final = 8
"""Of what each of them has."""


def first_difference(s: JudgedArena, snapshot: Snapshot) -> str | None:
    """The first thing in which a snapshot differs from the judged state, in words; none if they agree."""
    return next(_differences(s, snapshot), None)


def _differences(s: JudgedArena, snapshot: Snapshot) -> Iterator[str]:
    if len(snapshot.bands) != s.bands:
        yield f"the allocator has {len(snapshot.bands)} bands, the judge {s.bands}"
        return
    judged = _pages_by_band(s)
    for band, its in enumerate(snapshot.bands):
        where = f"band {band}"
        if (its.lo, its.hi) != (s.lo[band], s.hi[band]):
            yield f"{where}: the allocator's span is [{its.lo}, {its.hi}), the judge's [{s.lo[band]}, {s.hi[band]})"
        live = list(zip(its.pages, its.ids, its.references, strict=True))
        for what, theirs, ours in (
            ("live pages as (page, id, references)", live, judged[band]["live"]),
            ("withheld pages", its.withheld, judged[band]["withheld"]),
            ("pages queued for reading", its.queued_read, judged[band]["read"]),
            ("pages queued for writing", its.queued_write, judged[band]["write"]),
        ):
            yield from _unequal(f"{where}: {what}", theirs, ours)
    yield from _unequal("publishers", snapshot.publishers, list(s.published))
    yield from _ticket_differences(s, snapshot)


def _pages_by_band(s: JudgedArena) -> list[dict[str, list[Any]]]:
    bands: list[dict[str, list[Any]]] = [{"live": [], "withheld": [], "read": [], "write": []} for _ in range(s.bands)]
    for (band, page), status in s.status.items():
        if status == LIVE:
            vid = s.vid_at[band, page]
            bands[band]["live"].append((page, vid, s.refs[band, vid]))
        elif status == WITHHELD:
            bands[band]["withheld"].append(page)
    for (band, page), mode in s.queued.items():
        bands[band]["read" if mode == READ else "write"].append(page)
    return bands


def _unequal(what: str, theirs: list[Any], ours: list[Any]) -> Iterator[str]:
    if len(set(theirs)) < len(theirs):
        yield f"{what}: the allocator lists one of them twice"
    extra, missing = set(theirs) - set(ours), set(ours) - set(theirs)
    if extra:
        yield f"{what}: only the allocator has {sorted(extra)[:MOST_NAMED]}{_both(theirs, ours)}"
    if missing:
        yield f"{what}: only the judge has {sorted(missing)[:MOST_NAMED]}{_both(theirs, ours)}"


def _both(theirs: list[Any], ours: list[Any]) -> str:
    """Both tables, where they are short."""
    if max(len(theirs), len(ours)) > MOST_TOLD:
        return ""
    return f"; by the allocator it is {sorted(theirs)}, by the judge {sorted(ours)}"


def _ticket_differences(s: JudgedArena, snapshot: Snapshot) -> Iterator[str]:
    order = s.order
    theirs: dict[int, TicketState] = {ticket.ticket: ticket for ticket in snapshot.tickets}
    yield from _unequal("outstanding tickets", [t.ticket for t in snapshot.tickets], list(order.after))
    tails = [(stream, ticket) for stream, tail in snapshot.streams.items() for ticket in tail]
    yield from _unequal(
        "what the next ticket of a stream runs after, as (stream, ticket)",
        tails,
        [(stream, ticket) for stream, tail in order.tails.items() for ticket in tail],
    )
    if snapshot.next_ticket != order.next_ticket:
        yield f"the allocator's next ticket is {snapshot.next_ticket}, the judge's {order.next_ticket}"
    entries: dict[int, set[tuple[int, int, int, int]]] = {ticket: set() for ticket in order.after}
    for (ticket, band, page), mode in s.held.items():
        entries.setdefault(ticket, set()).add((band, page, mode, s.name[ticket, band, page]))
    for ticket, state in theirs.items():
        if ticket not in order.after:
            continue
        yield from _unequal(
            f"ticket {ticket}: entries as (band, page, mode, id)",
            [(entry.band, entry.page, MODES[entry.mode], entry.id) for entry in state.entries],
            sorted(entries[ticket]),
        )
        yield from _unequal(f"ticket {ticket}: runs after", state.after, list(order.after[ticket]))
        if (state.user, state.stream) != (order.user[ticket], order.stream[ticket]):
            yield f"ticket {ticket}: the allocator knows it as a {state.user} on stream {state.stream!r}"
