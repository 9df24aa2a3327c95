"""What the judge lets pass: every call and every step in a place where it is legal."""

from typing import Any, get_args

import pytest

from events import records as r
from spec.judge.rules import STEPS, STEPS_OF
from spec.specification import ACTIONS
from tests.spec.situation import (
    DONE,
    FAILED,
    FIRST,
    FULL,
    NEXT,
    REFUSED,
    SECOND,
    STATE,
    TRANSFER,
    UNPUBLISH,
    WINDOW,
    header,
    judged,
    snapshot,
)

CASES: dict[str, tuple[tuple[Any, ...], dict[str, int]]] = {
    "nothing is asked for": ((r.Allocate([0, 0, 0]), r.End(ids=[[], [], []])), {}),
    "a hole of each band": (
        (
            r.Allocate([1, 1, 1]),
            r.Allocated(STATE, [3], [13]),
            r.Allocated(WINDOW, [21], [7]),
            r.Allocated(FULL, [47], [2]),
            r.End(ids=[[13], [7], [2]]),
        ),
        {"allocate": 3},
    ),
    "a window that grows at both sides": (
        (
            r.Allocate([0, 4, 0]),
            r.GrewLow(WINDOW, 1),
            r.GrewHigh(WINDOW, 1),
            r.Allocated(WINDOW, [19, 21, 23, 24], [7, 8, 9, 10]),
            r.End(ids=[[], [7, 8, 9, 10], []]),
        ),
        {"grow-low": 1, "grow-high": 1, "allocate": 4},
    ),
    "both ends grow towards the middle": (
        (
            r.Allocate([2, 0, 5]),
            r.GrewHigh(STATE, 2),
            r.GrewLow(FULL, 9),
            r.Allocated(STATE, [5, 3], [20, 21]),
            r.Allocated(FULL, [36, 37, 38], [4, 5, 6]),
            r.Allocated(FULL, [45, 47], [7, 8]),
            r.End(ids=[[20, 21], [], [4, 5, 6, 7, 8]]),
        ),
        {"grow-high": 2, "grow-low": 9, "allocate": 7},
    ),
    "an id that was freed comes back": (
        (
            r.Release(WINDOW, [5]),
            DONE,
            r.Allocate([0, 1, 0]),
            r.Allocated(WINDOW, [20], [5]),
            r.End(ids=[[], [5], []]),
        ),
        {"free": 1, "allocate": 1},
    ),
    "a ticket is settled to make room": (
        (
            r.Allocate([2, 0, 0], [FIRST]),
            r.Settled(FIRST),
            r.Allocated(STATE, [2, 3], [12, 13]),
            r.End(ids=[[12, 13], [], []]),
        ),
        {"settle": 1, "allocate": 2},
    ),
    "a demand that is refused, and asked for again": (
        (
            r.Allocate([0, 99, 0]),
            r.Refused("never"),
            REFUSED,
            r.Allocate([0, 99, 0]),
            r.Refused("evict", evict=[None, 3, None]),
            r.End("refused", [[], [], []]),
        ),
        {},
    ),
    "wiped pages behind a copy": (
        (
            r.Allocate([1, 2, 0], [], [[], [5], []], True),
            r.Wiped(STATE, [3], [13]),
            r.Forked(WINDOW, [21], [7], [5]),
            r.Wiped(WINDOW, [23], [8]),
            r.End(ids=[[13], [7, 8], []]),
        ),
        {"fork": 1, "allocate-wiped": 2},
    ),
    "copies, and a page that is none": (
        (
            r.Allocate([0, 2, 1], [], [[], [5], [1]]),
            r.Forked(WINDOW, [21], [7], [5]),
            r.Allocated(WINDOW, [23], [8]),
            r.Forked(FULL, [47], [2], [1]),
            r.End(ids=[[], [7, 8], [2]]),
        ),
        {"fork": 2, "allocate": 1},
    ),
    "two copies of one page, whose writer is settled before": (
        (
            r.Allocate([0, 2, 0], [FIRST], [[], [6, 6], []]),
            r.Settled(FIRST),
            r.Forked(WINDOW, [21, 23], [7, 8], [6, 6]),
            r.End(ids=[[], [7, 8], []]),
        ),
        {"settle": 1, "fork": 2},
    ),
    "a copy of a page that moved before": (
        (
            *UNPUBLISH,
            r.Allocate([1, 0, 0], [], [[10], [], []]),
            r.Moved(STATE, [0], [3]),
            r.Forked(STATE, [0], [13], [10]),
            r.End(ids=[[13], [], []]),
        ),
        {"unpublish": 1, "move": 1, "fork": 1},
    ),
    "pages move to make room": (
        (
            *UNPUBLISH,
            r.Allocate([0, 0, 1]),
            r.Moved(STATE, [0], [3]),
            r.Moved(FULL, [48], [47]),
            r.Allocated(FULL, [45], [9]),
            r.End(ids=[[], [], [9]]),
        ),
        {"unpublish": 1, "move": 2, "allocate": 1},
    ),
    "a float that vanishes and appears elsewhere": (
        (
            *UNPUBLISH,
            r.Release(WINDOW, [5, 6]),
            DONE,
            r.Complete(FIRST),
            DONE,
            r.Complete(SECOND),
            r.AbsorbedLow(WINDOW, 2),
            r.AbsorbedHigh(WINDOW, 2),
            DONE,
            r.Allocate([0, 2, 0]),
            r.Appeared(WINDOW, 15),
            r.GrewHigh(WINDOW, 1),
            r.Allocated(WINDOW, [16, 15], [6, 5]),
            r.End(ids=[[], [6, 5], []]),
        ),
        {
            "unpublish": 1,
            "free": 2,
            "complete": 2,
            "absorb-low": 2,
            "absorb-high": 2,
            "appear": 1,
            "grow-high": 1,
            "allocate": 2,
        },
    ),
    "an idle moment": (
        (*UNPUBLISH, r.Compact(100), r.Moved(STATE, [1], [3]), r.GrewHigh(STATE, 1), r.AbsorbedHigh(STATE, 1), DONE),
        {"unpublish": 1, "move": 1, "grow-high": 1, "absorb-high": 1},
    ),
    "references come and go": (
        (
            r.Share(STATE, [10, 11, 10]),
            DONE,
            r.Release(STATE, [10, 10, 11, 11, 10, 11]),
            r.AbsorbedHigh(STATE, 1),
            DONE,
        ),
        {"share": 3, "unshare": 4, "free": 2, "absorb-high": 1},
    ),
    "a forward from beginning to end": (
        (
            r.Open(NEXT, "forward", "main"),
            DONE,
            r.Hold(NEXT, WINDOW, "write", [5, 6, 5]),
            DONE,
            r.Hold(NEXT, STATE, "read", [10, 11]),
            DONE,
            r.Issue(NEXT, WINDOW, [20, 22], [70, 71]),
            DONE,
            r.Land(WINDOW, [22, 20]),
            DONE,
            r.Complete(NEXT),
            DONE,
        ),
        {"hold": 5, "issue": 2, "land": 2, "complete": 1},
    ),
    "a page freed while it is written, and the write lands": (
        (
            r.Issue(FIRST, WINDOW, [22], [9]),
            DONE,
            r.Release(WINDOW, [6]),
            DONE,
            r.Land(WINDOW, [22]),
            DONE,
            r.Complete(SECOND),
            DONE,
            r.Complete(FIRST),
            r.AbsorbedHigh(WINDOW, 3),
            DONE,
        ),
        {"issue": 1, "free": 1, "land": 1, "complete": 2, "absorb-high": 3},
    ),
    "a forward with a write in flight is settled, and the stream catches up": (
        (
            r.Issue(FIRST, WINDOW, [22], [9]),
            DONE,
            r.Settle(FIRST),
            r.AbsorbedHigh(STATE, 2),
            DONE,
            r.Drain(),
            r.AbsorbedHigh(WINDOW, 1),
            DONE,
        ),
        {"issue": 1, "settle": 1, "drain": 1, "absorb-high": 3},
    ),
    "a transfer of what the stream has done with": (
        (
            r.Open(NEXT, "transfer"),
            DONE,
            r.Drain(),
            DONE,
            r.Hold(NEXT, FULL, "read", [0, 1]),
            DONE,
            r.Complete(NEXT),
            DONE,
        ),
        {"drain": 1, "hold": 2, "complete": 1},
    ),
    "a transfer reads a page that the stream only reads": (
        (
            *UNPUBLISH,
            r.Compact(20),
            r.Moved(FULL, [49], [47]),
            DONE,
            r.Allocate([0, 0, 1]),
            r.Allocated(FULL, [46], [3]),
            r.End(ids=[[], [], [3]]),
            r.Open(9, "transfer"),
            DONE,
            r.Hold(9, FULL, "read", [3]),
            DONE,
        ),
        {"unpublish": 1, "move": 1, "allocate": 1, "hold": 1},
    ),
    "a copy waits for a forward on another stream": (
        (
            r.Open(NEXT, "copy", "host", [FIRST]),
            DONE,
            r.Hold(NEXT, WINDOW, "read", [6]),
            DONE,
            r.Settle(NEXT),
            DONE,
        ),
        {"hold": 1, "settle": 1},
    ),
    "published twice and taken back": (
        (
            r.Publish("rdma"),
            DONE,
            r.Publish("nvlink"),
            DONE,
            r.Unpublish("rdma"),
            DONE,
            r.Unpublish("nvlink"),
            r.AbsorbedHigh(WINDOW, 1),
            DONE,
            r.Compact(100),
            r.Moved(STATE, [0], [3]),
            DONE,
        ),
        {"publish": 2, "unpublish": 2, "absorb-high": 1, "move": 1},
    ),
    "a misuse that the allocator rejects changes nothing": (
        (
            r.Open(FIRST, "forward", "main"),
            FAILED,
            r.Release(STATE, [10, 10]),
            FAILED,
            r.Hold(TRANSFER, STATE, "write", [11]),
            FAILED,
            r.Complete(99),
            FAILED,
            r.Allocate([1]),
            FAILED,
            snapshot(),
        ),
        {},
    ),
    "a snapshot that agrees, and the closing line": ((snapshot(), snapshot(), r.Close(4)), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_legal(name: str) -> None:
    records, actions = CASES[name]
    judge, finding = judged(*records)
    assert finding is None
    assert dict(judge.actions) == actions
    assert judge.lines == len(records) + 2
    assert judge.calls == sum(type(record) in STEPS_OF for record in records)
    assert judge.misuses == sum(record is FAILED for record in records)


def test_every_call_step_and_action_is_among_them() -> None:
    kinds = {type(record) for records, _ in CASES.values() for record in records}
    assert kinds >= set(get_args(r.Call)) | set(get_args(r.Step))
    assert set(get_args(r.Call)) == set(STEPS_OF)
    assert set(get_args(r.Step)) == STEPS
    assert {name for _, actions in CASES.values() for name in actions} == set(ACTIONS)


def test_what_a_reader_must_find_follows_writes_moves_and_landings() -> None:
    judge, finding = judged(
        *UNPUBLISH, r.Issue(FIRST, WINDOW, [22], [9]), DONE, r.Compact(30), r.Moved(WINDOW, [20], [21]), DONE
    )
    assert finding is None
    assert judge.shows(WINDOW, 6) == 9
    assert judge.shows(WINDOW, 5) == 0
    assert judge.shows(WINDOW, 99) is None
    for record in (r.Land(WINDOW, [22]), DONE, r.Complete(FIRST), DONE, r.Compact(30), r.Moved(WINDOW, [22], [20])):
        assert judge.take(record) is None
    assert judge.shows(WINDOW, 6) == 9


def test_nothing_is_shown_before_there_is_a_state() -> None:
    judge, _ = judged()
    assert type(judge)().shows(0, 0) is None
    assert type(judge)().take(header()) is None
