"""Admission decisions in a large arena with many tickets outstanding."""

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from bench.allocator.arenas import filled
from bench.allocator.pace import Pace
from bench.rows import Figure, Row, measured
from bench.timing import per_second
from impl.allocator import Allocator
from impl.device.metadata import MetadataDevice
from impl.numbers import Int64
from impl.plan import IN_PLACE, Grant, Plan, Refusal

PAGES: Final = 1_000_000
TICKETS: Final = 64
HELD: Final = 32
"""Pages that each ticket holds."""
FULL: Final = 1

_NAME: Final = "admission decision at 1 million pages, 64 tickets"


def rows(pace: Pace) -> Iterator[Row]:
    """Rows of decisions that end differently; no peer decides about a joint demand."""
    half = half_in_use()
    yield _row(pace, "", "The demand grows a span into the gap; no page moves.", half, (8, HELD))
    yield _row(pace, ", holes", "The demand is met from holes.", with_holes(), (0, HELD))
    yield _row(
        pace, ", refused: evict", "The demand is met only once live pages are given up.", half, (0, PAGES - HELD)
    )
    withheld = all_withheld()
    yield _row(
        pace, ", refused: after release", "The demand is met once tickets retire: which ones.", withheld, (0, HELD)
    )


def _row(pace: Pace, ending: str, note: str, allocator: Allocator, demand: tuple[int, int]) -> Row:
    def ours() -> float:
        return 1e6 / per_second(partial(allocator.plan, demand), pace.seconds)

    figure = Figure(f"{_NAME}{ending}", "us", False, f"{note} `plan` alone, which decides and says how. No peer does.")
    return measured(figure, pace.rounds, ours)


def half_in_use() -> Allocator:
    """Half of the pages are live, and each ticket holds some of them."""
    allocator, ids = filled(1, PAGES, 0.5, MetadataDevice)
    _open_tickets(allocator, ids)
    assert _step(allocator.plan((8, HELD))) == IN_PLACE
    return allocator


def with_holes() -> Allocator:
    """The allocator of `half_in_use`, with holes."""
    allocator, ids = filled(1, PAGES, 0.5, MetadataDevice)
    _open_tickets(allocator, ids)
    allocator.release(FULL, ids[1 : ids.size // 2 : 2])
    return allocator


def all_withheld() -> Allocator:
    """The arena is full; some of its pages are withheld until a ticket retires."""
    allocator, ids = filled(1, PAGES, 1, MetadataDevice)
    while isinstance(allocator.allocate((0, 1)), Grant):
        pass
    _open_tickets(allocator, ids)
    allocator.release(FULL, ids[: TICKETS * HELD])
    refusal = allocator.plan((0, HELD))
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "after-release"
    return allocator


def _open_tickets(allocator: Allocator, ids: Int64) -> None:
    for held in np.split(ids[: TICKETS * HELD], TICKETS):
        allocator.hold(allocator.open("forward", "main"), FULL, held, "read")


def _step(plan: Plan | Refusal) -> int | None:
    return plan.step if isinstance(plan, Plan) else None
