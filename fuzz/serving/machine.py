"""The state machine: the same operations in the same scenes, chosen by Hypothesis."""

import time
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from itertools import accumulate
from struct import unpack
from typing import Final

import hypothesis
from hypothesis import HealthCheck, Phase, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from fuzz.literals import no_literals
from fuzz.looks import Look, look_of
from fuzz.serving.driver import Run, switched_off, weights_of
from fuzz.serving.failure import explained
from fuzz.serving.kinds import KINDS, kinds_of
from fuzz.serving.living import END, do, end
from fuzz.serving.operations import Operation
from fuzz.serving.scene import SCENE_DRAWS, SORTS, Scene, scene_of
from fuzz.serving.stage import Stage
from fuzz.violation import Violation

BATCH: Final = 5
"""Examples between two reports."""

# as bytes, which Hypothesis draws at once and evenly
_SCENE: Final = strategies.binary(min_size=1 + 2 * SCENE_DRAWS, max_size=1 + 2 * SCENE_DRAWS)
_EMPHASES: Final = strategies.binary(min_size=len(KINDS), max_size=len(KINDS))
_OPERATION: Final = strategies.binary(min_size=10, max_size=10)


class _Tally:
    """What all examples of a run came to, and the operations of the last one that broke."""

    def __init__(self, known: Container[Look]) -> None:
        self.known = known
        self.lives = self.operations = self.jobs = self.calls = 0
        self.actions: Counter[str] = Counter()
        self.again: Counter[Look] = Counter()
        self.look: Look | None = None
        self.done: Counter[tuple[str, str]] = Counter()
        self.events: Counter[str] = Counter()
        self.scene = Scene()
        self.script: list[Operation] = []
        self.absent: tuple[str, ...] = ()


def run_machine(
    seed: int | str,
    *,
    examples: int = 20,
    steps: int = 30,
    sorts: Sequence[str] = SORTS,
    progress: Callable[[Run], None] = lambda run: None,
    fault: str | None = None,
    reduce_seconds: float = 60.0,
    reduce_tries: int | None = None,
    known: Container[Look] = (),
) -> Run:
    """Let Hypothesis look for a scene and operations in it that break something.

    Args:
        seed: of all choices.
        examples: lives to try.
        steps: the most operations in one.
        sorts: of scenes.
        progress: told after each batch.
        fault: the seeded fault that is in force, to be noted in the failure.
        reduce_seconds: for making a failure shorter.
        reduce_tries: scripts that are tried to that end; none for as many as there is time for.
        known: how failures look that are known; they are counted, and end nothing but an example.
    """
    begun, tally, run, batch = time.monotonic(), _Tally(known), Run(seed), 0
    while run.failure is None and batch * BATCH < examples:
        machine = _machine_of(tally, sorts)
        hypothesis.seed(f"{seed}/{batch}")(machine)
        failure = None
        try:
            with no_literals():
                run_state_machine_as_test(machine, settings=_settings(min(BATCH, examples - batch * BATCH), steps))
        except Violation as violation:
            failure = explained(
                tally.scene,
                tuple(tally.script),
                violation,
                fault=fault,
                seconds=reduce_seconds,
                tries=reduce_tries,
                absent=tally.absent,
            )
        batch += 1
        run = Run(
            seed,
            tally.lives,
            tally.operations,
            tally.jobs,
            time.monotonic() - begun,
            tally.done,
            tally.events,
            failure,
            tally.calls,
            tally.actions,
            tally.look,
            tally.again,
        )
        progress(run)
    return replace(run, seconds=time.monotonic() - begun)


def _machine_of(tally: _Tally, sorts: Sequence[str]) -> type[RuleBasedStateMachine]:
    """A state machine that lives lives."""

    class Machine(RuleBasedStateMachine):
        @initialize(scene=_SCENE, emphases=_EMPHASES)
        def begin(self, scene: bytes, emphases: bytes) -> None:
            """A scene, in which each kind of operation is rarer or more frequent than in another, or absent."""
            sort, *draws = unpack(f"<B{SCENE_DRAWS}H", scene)
            chosen = scene_of(sorts[sort % len(sorts)], draws)
            kinds = kinds_of(chosen)
            weights = weights_of(kinds, emphases[: len(kinds)])
            self.names, self.upto = [kind.name for kind in kinds], list(accumulate(weights))
            self.absent, self.script = switched_off(kinds, weights), list[Operation]()
            self.stage, self.is_broken = Stage(chosen), False
            tally.lives += 1

        @rule(drawn=_OPERATION)
        def operate(self, drawn: bytes) -> None:
            if self.is_broken:
                # by what is known
                return
            which, *draws = unpack("<5H", drawn)
            one, two, three, four = draws
            # one rule for all, since Hypothesis does not choose evenly among many
            name = self.names[bisect(self.upto, which * self.upto[-1] >> 16)]
            self.script.append(Operation(name, (one, two, three, four)))
            tally.operations += 1
            self.attempt(name, lambda: do(self.stage, self.script[-1]))

        def teardown(self) -> None:
            if not hasattr(self, "stage"):
                # the scene was not drawn to its end
                return
            try:
                if not self.is_broken:
                    self.attempt(END, lambda: end(self.stage))
            finally:
                self.stage.close()
                tally.done += self.stage.done
                tally.events += self.stage.events
                tally.jobs += sum(want.is_over for want in self.stage.wants)
                tally.calls += self.stage.calls
                tally.actions += self.stage.actions

        def attempt(self, at: str, act: Callable[[], None]) -> None:
            try:
                act()
            except Violation as violation:
                self.is_broken = True
                look = look_of(violation.property, at, violation.problem)
                if look in tally.known:
                    tally.again[look] += 1
                    return
                tally.look = look
                tally.scene, tally.script, tally.absent = self.stage.scene, self.script, self.absent
                raise

    return Machine


def _settings(examples: int, steps: int) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        # what is found is made shorter operation by operation, which takes less time than bit by bit
        phases=[Phase.generate],
    )
