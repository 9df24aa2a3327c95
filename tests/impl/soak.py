"""Allocators driven for millions of calls, each judged by the specification; memory must stay and nothing be left over.

`python -m tests.impl.soak --calls 10000000` makes a long run. Two sorts of drivers take turns, each on allocators that
live from the beginning to the end: the engine of the fuzzer, which also reads back the contents of pages, and random
calls, which also clear everything, put transfers in quarantine, and give the arena's memory back.
"""

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from random import Random
from typing import Final, Protocol

from events.records import AnyRecord
from fuzz.contents import patterns
from fuzz.engine.engine import Engine
from fuzz.engine.kinds import KINDS
from fuzz.engine.operations import Operation
from fuzz.faults.fault import replaced
from fuzz.seeded import operations_of
from fuzz.setups import setup_names, setup_of
from fuzz.stage import Stage
from fuzz.targets.own import OWN
from fuzz.watch import Watch
from impl.allocator import Allocator
from impl.recording import RecordedAllocator
from spec.judge.judge import Judge
from tests.impl.toys import Driver, random_layout

TURN: Final = 2_000
"""Calls that one allocator is driven for before the next one's turn."""

WARM_UP: Final = 0.2
"""The share of the calls after which memory must not grow any more."""

MARGIN_BYTES: Final = 48 << 20
"""How much more resident memory there may be than after the warm-up; in 10 million calls 6 bytes per call are more."""

WATCH: Final = Watch(tables_every=1009, contents_every=101)

RANDOM_COURSES: Final = 4


class Course(Protocol):
    """One allocator and its driver."""

    calls: int

    def turn(self) -> None:
        """Make some more calls. Raises AssertionError or Violation where something is wrong."""

    def finish(self) -> None:
        """Give everything back, and see that nothing is left."""


class EngineCourse:
    """The fuzzer's engine with its requests, on a stage that judges every record and reads contents back."""

    def __init__(self, setup: str, seed: int) -> None:
        self._stage = Stage(OWN, setup_of(setup), WATCH)
        self._engine = Engine(self._stage)
        allocator = self._stage.allocator
        assert isinstance(allocator, RecordedAllocator)
        self._allocator = allocator
        lives = (operations_of(seed, life) for life in count())
        self._operations: Iterator[Operation] = chain.from_iterable(lives)
        self.calls = 0

    def turn(self) -> None:
        """See `Course.turn`."""
        stage, engine = self._stage, self._engine
        until = stage.calls + TURN
        while stage.calls < until:
            name, draws = next(self._operations)
            stage.note(name, KINDS[name].act(engine, draws))
        stage.check_everything()
        # kept by a stage to tell of a failure, and it is of no use to do millions of calls again
        stage.log.clear()
        stage.rejected.clear()
        self.calls = stage.calls

    def finish(self) -> None:
        """See `Course.finish`."""
        stage = self._stage
        for request in list(self._engine.requests):
            self._engine.give_up(request)
        for ticket in list(stage.tickets):
            stage.complete(ticket)
        for who in list(self._engine.publishers):
            stage.unpublish(who)
        stage.drain()
        if not stage.has_memory:
            stage.resume_memory()
        stage.check_everything()
        assert_empty(self._allocator)
        state = stage.state
        left = {
            name: len(table) for name, table in state.tables.items() if table and name in ("held", "refs", "status")
        }
        assert not left, f"by the trace something is left: {left}"


class RandomCourse:
    """Random calls, every record of which is judged."""

    def __init__(self, number: int, seed: int) -> None:
        rnd = Random(f"soak {seed} {number}")
        layout = random_layout(rnd, 2 + number % 4)
        sizes = [kind.page_bytes for kind in layout.kinds]
        self._judge = Judge()
        self._allocator = Allocator(layout, 256 + 3 * max(sizes) + sum(rnd.randint(4, 24) * size for size in sizes))
        self._recorded = RecordedAllocator(self._allocator, self._take)
        self._driver = Driver(self._recorded, rnd)
        self.calls = 0

    def _take(self, record: AnyRecord) -> None:
        finding = self._judge.take(record)
        assert finding is None, finding

    def turn(self) -> None:
        """See `Course.turn`."""
        until = self._judge.calls + TURN
        while self._judge.calls < until:
            self._driver.step()
        self._allocator.check()
        self._recorded.write_snapshot()
        self.calls = self._judge.calls

    def finish(self) -> None:
        """See `Course.finish`."""
        self._driver.finish()
        self._recorded.write_snapshot()
        assert_empty(self._recorded)


def assert_empty(allocator: RecordedAllocator) -> None:
    """Nothing is in use, held, queued, published or lost."""
    allocator.check()
    statistics, snapshot = allocator.statistics(), allocator.snapshot()
    for kind, band in zip(statistics.kinds, snapshot.bands, strict=True):
        assert kind.span == kind.live == kind.withheld == kind.holes == 0, f"{kind.name}: {kind}"
        assert kind.allocated == kind.freed, f"{kind.name}: {kind.allocated - kind.freed} pages were never given up"
        assert not band.queued_read
        assert not band.queued_write
    assert statistics.outstanding == statistics.publishers == 0
    assert statistics.free_bytes == allocator.chain.capacity - allocator.chain.base
    assert snapshot.tickets == []
    assert snapshot.streams == {}


@dataclass(frozen=True)
class Soak:
    """What a run came to."""

    calls: int
    """That were made and judged."""
    seconds: float
    warm_bytes: int
    """Resident memory after the warm-up; 0 before."""
    most_bytes: int
    """The most since."""


def soak(calls: int, seed: int = 0, progress: Callable[[Soak], None] = lambda _: None) -> Soak:
    """Make at least so many calls, then give everything back.

    Raises:
        AssertionError, Violation: a call was illegal, memory grew by more than MARGIN_BYTES, or something is left.
    """
    # the images of values are kept to save time, by default for so many that memory would grow through the whole run
    with replaced(patterns, "_CACHED_BYTES", lambda _: 1 << 14):
        courses: list[Course] = [EngineCourse(name, seed) for name in setup_names()]
    courses += [RandomCourse(number, seed) for number in range(RANDOM_COURSES)]
    begun = time.monotonic()
    done = Soak(0, 0.0, 0, 0)
    try:
        while done.calls < calls:
            for course in courses:
                course.turn()
            made = sum(course.calls for course in courses)
            resident = resident_bytes()
            warm = done.warm_bytes or (resident if made >= WARM_UP * calls else 0)
            done = Soak(made, time.monotonic() - begun, warm, max(done.most_bytes, resident) if warm else 0)
            assert done.most_bytes <= done.warm_bytes + MARGIN_BYTES, f"memory grows: {done}"
            progress(done)
    except KeyboardInterrupt:
        print("\nstopped; giving everything back", file=sys.stderr)
    for course in courses:
        course.finish()
    return done


def resident_bytes() -> int:
    """The memory of this process that is in use now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and say how it goes; 0 if all is well."""
    parser = argparse.ArgumentParser(prog="python -m tests.impl.soak", description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000_000, help="to make (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of all choices (default %(default)s)")
    options = parser.parse_args(arguments)

    def tell(done: Soak) -> None:
        rate = done.calls / done.seconds
        left = max(0.0, options.calls - done.calls) / rate
        resident = f", {done.most_bytes >> 20} MiB at most" if done.most_bytes else ""
        line = f"{done.calls:,} calls judged, {rate:,.0f} per second, {left / 60:.0f} min left{resident}"
        print(f"\r{line:<100}", end="", file=sys.stderr)

    done = soak(options.calls, options.seed, tell)
    print(file=sys.stderr)
    print(
        f"{done.calls:,} calls judged in {done.seconds:.0f} s; {done.warm_bytes >> 20} MiB resident after the warm-up, "
        f"{done.most_bytes >> 20} MiB at most; nothing is left"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
