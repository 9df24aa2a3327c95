"""What it costs to write down every call and step."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final

from bench.allocator.arenas import filled
from bench.allocator.decode import CONTEXT, REQUESTS, STEPS, arena
from bench.allocator.pace import Pace
from bench.allocator.requests import PAGES, pair
from bench.allocator.serving import Batch, Pipeline
from bench.rows import Figure, Row, measured
from bench.timing import per_second, seconds_of
from impl.allocator import Allocator
from impl.recording import RecordedAllocator
from impl.trace_file import TraceFile

_CALLS: Final = 2
"""Calls of a pair."""

_NEVER: Final = 3600.0
"""Seconds between two looks at the buffer: nothing is written until the file is closed."""


def rows(pace: Pace) -> Iterator[Row]:
    """Rows of the recorder: of the thread that serves, and of the thread that writes a trace."""
    yield measured(
        Figure(
            "recorder, per call",
            "us",
            False,
            "What allocating and freeing 32 pages takes the serving thread longer when it is recorded, divided by the "
            "two calls. Drafts of records are kept; another thread writes them.",
        ),
        pace.rounds,
        partial(_per_call, pace),
    )
    yield measured(
        Figure(
            "recorder, written, per call",
            "us",
            False,
            "What the other thread takes for these two calls, divided by two: records are made, sealed and written.",
        ),
        pace.rounds,
        _written,
    )
    yield measured(
        Figure(
            f"recorder, step of {REQUESTS} requests",
            "%",
            False,
            "How much longer a decode step takes the serving thread when it is recorded, with a ticket that holds what "
            "it writes.",
        ),
        pace.rounds,
        _per_step,
    )


def _per_call(pace: Pace) -> float:
    plain, recorded = (filled(16, PAGES, 0.5)[0] for _ in range(2))
    seconds = 1 / per_second(partial(pair, plain), pace.seconds)
    with TemporaryDirectory() as folder, TraceFile(Path(folder) / "a.trace", every=_NEVER) as trace:
        longer = 1 / per_second(partial(pair, RecordedAllocator(recorded, trace)), pace.seconds)
        assert not trace.lost, "all of it is written"
    return 1e6 * (longer - seconds) / _CALLS


def _written(pairs: int = 2_000) -> float:
    with TemporaryDirectory() as folder:
        trace = TraceFile(Path(folder) / "a.trace", every=_NEVER)
        recorded = RecordedAllocator(filled(16, PAGES, 0.5)[0], trace)
        for _ in range(pairs):
            pair(recorded)
        begun = process_time()
        trace.close()
        assert not trace.lost, "all of it is written"
        return 1e6 * (process_time() - begun) / pairs / _CALLS


def _per_step() -> float:
    seconds = _step_seconds(arena())
    with TemporaryDirectory() as folder, TraceFile(Path(folder) / "a.trace", every=_NEVER) as trace:
        longer = _step_seconds(RecordedAllocator(arena(), trace))
    return 100 * (longer / seconds - 1)


def _step_seconds(allocator: Allocator | RecordedAllocator) -> float:
    pipeline = Pipeline(Batch(allocator, REQUESTS, CONTEXT, STEPS), whole=False)

    def work() -> None:
        for _ in range(STEPS):
            pipeline.step()

    return seconds_of(work)
