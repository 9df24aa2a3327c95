"""Calls that break a rule name what is wrong and change nothing at all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from impl.allocator import Allocator
from impl.misuse import Misuse
from tests.impl.toys import filled, toy_kind, toy_layout

DEAD, SHARED, HELD, PLAIN = 1, 2, 3, 4
"""Ids of the full band."""


def prepared() -> Allocator:
    """A forward 0 that writes page HELD, a transfer 1, a forward 2 that has completed; `peer` has published."""
    allocator = Allocator(toy_layout(("state", 64), ("full", 32)), 256 + 960)
    ids = filled(allocator, [2, 4])[1]
    base = int(ids[0]) - 1
    assert base == int(ids.min()) - 1
    allocator.share(1, [base + SHARED])
    forward, transfer, over = allocator.open("forward", "main"), allocator.open("transfer"), allocator.open("copy", "b")
    allocator.hold(forward, 1, [base + HELD], "write")
    allocator.hold(transfer, 1, [base + PLAIN], "read")
    allocator.complete(over)
    allocator.release(1, [base + DEAD])
    allocator.publish("peer")
    queued = allocator.open("forward", "main")
    allocator.hold(queued, 0, [0], "write")
    allocator.settle(queued)
    return allocator


def full(allocator: Allocator, each: int) -> int:
    """One of the named ids."""
    return allocator.chain.bands[1].first - 1 + each


Call = Callable[[Any], Any]
"""Of an allocator; its types are left aside, because many of these calls are wrong in them."""

WRONG: dict[str, tuple[str, Call]] = {
    "a demand that is too short": ("demand", lambda a: a.allocate([1])),
    "a demand that is too long": ("demand", lambda a: a.allocate([1, 1, 1])),
    "a negative demand": ("demand", lambda a: a.allocate([1, -1])),
    "a demand of fractions": ("demand", lambda a: a.allocate([1, 1.0])),
    "a demand of truth values": ("demand", lambda a: a.allocate([True, 1])),
    "a demand that is a number": ("demand", lambda a: a.allocate(3)),
    "a demand beyond all bounds": ("demand", lambda a: a.allocate([10**30, 0])),
    "a demand of an unknown kind": ("demand", lambda a: a.allocate({"fall": 1})),
    "a plan for a negative demand": ("demand", lambda a: a.plan([0, -5])),
    "settling a transfer inside an allocation": ("ticket", lambda a: a.allocate([0, 1], [0, 1])),
    "settling a retired ticket inside an allocation": ("ticket", lambda a: a.allocate([0, 1], [2])),
    "settling no ticket inside a plan": ("ticket", lambda a: a.plan([0, 1], ["0"])),
    "sharing a dead id": ("ids", lambda a: a.share(1, [full(a, SHARED), full(a, DEAD)])),
    "sharing in a band that is not there": ("band", lambda a: a.share(2, [1])),
    "sharing in a negative band": ("band", lambda a: a.share(-1, [1])),
    "sharing in a band by name": ("band", lambda a: a.share("full", [1])),
    "releasing twice": ("ids", lambda a: a.release(1, [full(a, SHARED), full(a, DEAD)])),
    "releasing once too often": ("ids", lambda a: a.release(1, [full(a, SHARED)] * 3)),
    "releasing twice in one batch": ("ids", lambda a: a.release(1, [full(a, PLAIN), full(a, HELD), full(a, PLAIN)])),
    "releasing an id that never was": ("ids", lambda a: a.release(1, [full(a, 20)])),
    "releasing an id beyond all ids": ("ids", lambda a: a.release(1, [full(a, PLAIN), 10**9])),
    "releasing the sink": ("ids", lambda a: a.release(1, [0])),
    "releasing a negative id": ("ids", lambda a: a.release(1, [full(a, PLAIN), -1])),
    "releasing fractions": ("ids", lambda a: a.release(1, [1.0])),
    "releasing truth values": ("ids", lambda a: a.release(1, [True])),
    "releasing names": ("ids", lambda a: a.release(1, ["1"])),
    "releasing a ragged batch": ("ids", lambda a: a.release(1, [[1], [2, 3]])),
    "releasing a matrix": ("ids", lambda a: a.release(1, np.ones((2, 2), np.int64))),
    "releasing one number": ("ids", lambda a: a.release(1, 3)),
    "releasing numbers beyond 63 bits": ("ids", lambda a: a.release(1, np.array([2**63 + 1], np.uint64))),
    "opening for an unknown user": ("user", lambda a: a.open("backward", "main")),
    "opening a forward without a stream": ("stream", lambda a: a.open("forward")),
    "opening a copy on a numbered stream": ("stream", lambda a: a.open("copy", 3)),
    "opening a transfer on a stream": ("stream", lambda a: a.open("transfer", "main")),
    "opening a transfer that waits": ("waits", lambda a: a.open("transfer", None, [0])),
    "waiting for a transfer": ("waits", lambda a: a.open("forward", "main", [0, 1])),
    "waiting for a ticket to come": ("waits", lambda a: a.open("forward", "main", [99])),
    "waiting for a negative ticket": ("waits", lambda a: a.open("forward", "main", [-1])),
    "holding under no ticket": ("ticket", lambda a: a.hold(99, 1, [full(a, PLAIN)], "read")),
    "holding under a retired ticket": ("ticket", lambda a: a.hold(2, 1, [full(a, PLAIN)], "read")),
    "holding in a band that is not there": ("band", lambda a: a.hold(0, 7, [full(a, PLAIN)], "read")),
    "holding to execute": ("mode", lambda a: a.hold(0, 1, [full(a, PLAIN)], "execute")),
    "holding a dead id": ("ids", lambda a: a.hold(0, 1, [full(a, SHARED), full(a, DEAD)], "read")),
    "writing to a shared page": ("ids", lambda a: a.hold(0, 1, [full(a, SHARED)], "write")),
    "writing to what a transfer reads": ("ids", lambda a: a.hold(0, 1, [full(a, SHARED), full(a, PLAIN)], "write")),
    "sending what a forward writes": ("ids", lambda a: a.hold(1, 1, [full(a, SHARED), full(a, HELD)], "read")),
    "sending what is still queued": ("ids", lambda a: a.hold(1, 0, [1, 0], "read")),
    "completing twice": ("ticket", lambda a: a.complete(2)),
    "completing what was never opened": ("ticket", lambda a: a.complete(17)),
    "completing a name": ("ticket", lambda a: a.complete("0")),
    "completing true": ("ticket", lambda a: a.complete(True)),
    "settling a transfer": ("ticket", lambda a: a.settle(1)),
    "settling twice": ("ticket", lambda a: a.settle(2)),
    "quarantining a forward": ("ticket", lambda a: a.quarantine(0)),
    "quarantining a retired ticket": ("ticket", lambda a: a.quarantine(2)),
    "quarantining by name": ("ticket", lambda a: a.quarantine("1")),
    "giving bytes back that are in use": ("pages", lambda a: a.release_memory()),
    "taking bytes that are there": ("memory", lambda a: a.resume_memory()),
    "the references of no band": ("band", lambda a: a.references(-1)),
    "publishing under a number": ("who", lambda a: a.publish(3)),
    "publishing under an endless name": ("who", lambda a: a.publish("x" * 201)),
    "opening on an endless stream": ("stream", lambda a: a.open("forward", "x" * 201)),
    "unpublishing for another": ("who", lambda a: a.unpublish("other")),
    "compacting by a negative budget": ("budget_bytes", lambda a: a.compact(-1)),
    "compacting by a fraction": ("budget_bytes", lambda a: a.compact(0.5)),
    "translating a dead id": ("ids", lambda a: a.translate(1, [full(a, DEAD)])),
    "the page table of no band": ("band", lambda a: a.page_table(2)),
    "the view of another layout's row": ("row", lambda a: a.view(toy_kind("window9", 16).rows[0])),
    "a kind that is not there": ("name", lambda a: a.band("window9")),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_misuse_names_itself_and_changes_nothing(what: str) -> None:
    field, call = WRONG[what]
    allocator, twin = prepared(), prepared()
    with pytest.raises(Misuse) as caught:
        call(allocator)
    assert caught.value.field == field
    assert caught.value.remedy
    assert str(caught.value).startswith(f"{field} = ")
    assert allocator.snapshot() == twin.snapshot()
    assert allocator.statistics() == twin.statistics()
    assert [held.age for held in allocator.outstanding()] == [held.age for held in twin.outstanding()]
    allocator.check()
    # and whatever comes next is as if the call had not been made
    for each in (allocator, twin):
        each.unpublish("peer")
        each.release(1, [full(each, HELD), full(each, SHARED)])
        each.complete(0)
        filled(each, [3, 5])
    assert allocator.snapshot() == twin.snapshot()


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.uint64, np.int64])
def test_ids_of_any_integer_type_are_taken(dtype: type) -> None:
    allocator = prepared()
    ids: Any = np.array([full(allocator, SHARED)], dtype)
    allocator.share(1, ids)
    allocator.share(1, tuple(ids.tolist()))
    allocator.release(1, ids.repeat(3))
    allocator.check()


def test_numpy_integers_name_bands_tickets_and_counts() -> None:
    allocator: Any = prepared()
    one: Any = np.int64(1)
    nought: Any = np.int32(0)
    filled(allocator, [nought, one])
    ticket = np.int64(allocator.open("forward", "main", [nought]))
    allocator.hold(ticket, one, [full(allocator, SHARED)], "read")
    allocator.settle(ticket)
    allocator.compact(nought)
    allocator.check()


def test_an_empty_batch_is_no_misuse() -> None:
    allocator = prepared()
    before = allocator.snapshot()
    allocator.share(1, [])
    allocator.release(1, [])
    assert allocator.hold(0, 1, [], "write").size == 0
    assert allocator.translate(1, []).size == 0
    assert allocator.snapshot() == before
