"""What it costs to write down every call and step."""

from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from bench.allocator.arenas import filled
from bench.allocator.decode import CONTEXT, REQUESTS, STEPS, arena
from bench.allocator.pace import Pace
from bench.allocator.requests import PAGES, pair
from bench.allocator.serving import Batch, Pipeline
from bench.rows import Figure, Row, measured
from bench.timing import per_second, seconds_of
from impl.allocator import Allocator
from impl.recording import RecordedAllocator

_CALLS: Final = 2
"""In a pair."""


def rows(pace: Pace) -> Iterator[Row]:
    """Rows of the recorder; records are made and kept, and written out of the way of serving."""
    yield measured(
        Figure(
            "recorder, per call",
            "us",
            False,
            "What allocating and freeing 32 pages takes longer when it is recorded, divided by the two calls. Records "
            "are made, not encoded.",
        ),
        pace.rounds,
        partial(_per_call, pace),
    )
    yield measured(
        Figure(
            f"recorder, step of {REQUESTS} requests",
            "%",
            False,
            "How much longer a decode step takes when it is recorded, with a ticket that holds what it writes.",
        ),
        pace.rounds,
        _per_step,
    )


def _per_call(pace: Pace) -> float:
    plain, recorded = (filled(16, PAGES, 0.5)[0] for _ in range(2))
    seconds = [1 / per_second(partial(pair, one), pace.seconds) for one in (plain, _recorded(recorded))]
    return 1e6 * (seconds[1] - seconds[0]) / _CALLS


def _per_step() -> float:
    seconds = [_step_seconds(one) for one in (arena(), _recorded(arena()))]
    return 100 * (seconds[1] / seconds[0] - 1)


def _step_seconds(allocator: Allocator | RecordedAllocator) -> float:
    pipeline = Pipeline(Batch(allocator, REQUESTS, CONTEXT, STEPS), whole=False)

    def work() -> None:
        for _ in range(STEPS):
            pipeline.step()

    return seconds_of(work)


def _recorded(allocator: Allocator) -> RecordedAllocator:
    # as long as what a writer has still to write: a few steps
    backlog: deque[Any] = deque(maxlen=256)
    return RecordedAllocator(allocator, backlog.append)
