"""The fuzzer's driver on real streams, and what it came to."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fuzz.seeded import live, operations_of
from fuzz.setups import Setup
from fuzz.simulated.work import SORTS
from fuzz.violation import Violation
from fuzz.watch import AT_THE_END, Watch
from gpu_tests.allocator.place import Place
from gpu_tests.allocator.stage import StreamStage
from gpu_tests.allocator.target import StreamTarget
from spec.specification import ACTIONS


@dataclass(frozen=True)
class Driven:
    """What a run came to.

    Attributes:
        calls: to allocators, each judged.
        seconds: that it took.
        actions: how often each page action was taken.
        work: how often each sort of work was launched.
        violation: the first, in words, with what it was found on; None if there was none.
    """

    calls: int
    seconds: float
    actions: Counter[str]
    work: Counter[str]
    violation: str | None

    @property
    def holds(self) -> bool:
        """Whether nothing broke, every page action was taken, and every sort of work was done."""
        return self.violation is None and not self.missing

    @property
    def missing(self) -> tuple[str, ...]:
        """The page actions that were never taken, and the work that was never launched."""
        return (
            *[f"action {name}" for name in ACTIONS if not self.actions[name]],
            *[sort for sort in SORTS if not self.work[sort]],
        )


def drive(place: Place, setups: Sequence[Setup], seed: int, calls: int, watch: Watch = AT_THE_END) -> Driven:
    """Drive new allocators in turn, until something breaks or so many calls were made."""
    target = StreamTarget(place)
    begun = time.monotonic()
    done, life = 0, 0
    actions: Counter[str] = Counter()
    work: Counter[str] = Counter()
    violation: Violation | None = None
    while done < calls and violation is None:
        setup = setups[life % len(setups)]
        stage = StreamStage(target, setup, watch)
        _, violation = live(stage, operations_of(seed, life))
        coverage = stage.coverage()
        actions += coverage.actions
        work.update({sort: count for (name, sort), count in coverage.outcomes.items() if name == "work"})
        done, life = done + stage.calls, life + 1
    found = f"{setup.name}, life {life - 1} of seed {seed}: {violation}" if violation is not None else None
    return Driven(done, time.monotonic() - begun, actions, work, found)
