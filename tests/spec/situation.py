"""One small arena in the middle of its work, in which every rule has something to bite on.

bytes     0        400        600   720        900    1000
bands     | state    |         | window |         | full |
pages     0 1 2 3              20 21 22 23        45 46 47 48 49
"""

from typing import Any

from events import records as r
from spec.judge.judge import Judge
from spec.judge.verdict import Finding

STATE, WINDOW, FULL = 0, 1, 2
FIRST, TRANSFER, SECOND, NEXT = 3, 4, 5, 6
"""Tickets: two forwards on one stream, a transfer between them, and the next to be opened."""

DONE, FAILED, REFUSED = r.End(), r.End("failed"), r.End("refused")


def header(**changes: Any) -> r.Header:
    """What never changes."""
    fields: dict[str, Any] = {
        "version": r.VERSION,
        "producer": "test",
        "model": "tiny",
        "bands": [r.Band("state", 100, 0, 1), r.Band("window", 30, 0, 16), r.Band("full", 20, 0, 16)],
        "base": 0,
        "capacity": 1_000,
        "bottom": 0,
        "top": 50,
    }
    return r.Header(**{**fields, **changes})


def state(**changes: Any) -> r.BandState:
    """Pages 0 and 1 are live, 2 is withheld for the first forward, 3 is a hole."""
    fields: dict[str, Any] = {
        "lo": 0,
        "hi": 4,
        "pages": [0, 1],
        "ids": [10, 11],
        "references": [1, 2],
        "withheld": [2],
        "queued_read": [],
        "queued_write": [],
    }
    return r.BandState(**{**fields, **changes})


def window(**changes: Any) -> r.BandState:
    """Pages 20 and 22 are live, 21 and 23 are holes; the first forward writes 22 and the second reads it."""
    fields: dict[str, Any] = {
        "lo": 20,
        "hi": 24,
        "pages": [20, 22],
        "ids": [5, 6],
        "references": [1, 1],
        "withheld": [],
        "queued_read": [],
        "queued_write": [],
    }
    return r.BandState(**{**fields, **changes})


def full(**changes: Any) -> r.BandState:
    """Pages 48 and 49 are live, the others holes; the transfer reads 48; 46 was moved to 49."""
    fields: dict[str, Any] = {
        "lo": 45,
        "hi": 50,
        "pages": [48, 49],
        "ids": [0, 1],
        "references": [1, 1],
        "withheld": [],
        "queued_read": [46],
        "queued_write": [49],
    }
    return r.BandState(**{**fields, **changes})


def ticket(number: int, **changes: Any) -> r.TicketState:
    """One of the three outstanding tickets."""
    described: dict[int, dict[str, Any]] = {
        FIRST: {
            "user": "forward",
            "stream": "main",
            "after": [],
            "entries": [r.Entry(STATE, 2, "read", 12), r.Entry(WINDOW, 22, "write", 6)],
        },
        TRANSFER: {"user": "transfer", "stream": None, "after": [], "entries": [r.Entry(FULL, 48, "read", 0)]},
        SECOND: {
            "user": "forward",
            "stream": "main",
            "after": [FIRST],
            "entries": [r.Entry(WINDOW, 22, "read", 6)],
        },
    }
    return r.TicketState(number, **{**described[number], **changes})


def snapshot(**changes: Any) -> r.Snapshot:
    """What the allocator knows."""
    fields: dict[str, Any] = {
        "bands": [state(), window(), full()],
        "tickets": [ticket(FIRST), ticket(TRANSFER), ticket(SECOND)],
        "streams": {"main": [FIRST, SECOND]},
        "next_ticket": NEXT,
        "publishers": ["rdma"],
    }
    return r.Snapshot(**{**fields, **changes})


UNPUBLISH = (r.Unpublish("rdma"), DONE)
"""What comes before anything may move."""


def judged(*records: Any) -> tuple[Judge, Finding | None]:
    """A judge that has taken the header, the snapshot and these records, up to its first finding."""
    judge = Judge()
    for record in (header(), snapshot()):
        assert judge.take(record) is None
    for record in records:
        finding = judge.take(record)
        if finding is not None:
            return judge, finding
    return judge, None
