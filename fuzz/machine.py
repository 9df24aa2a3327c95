"""The state machine: the same operations, chosen by Hypothesis, every call watched from outside."""

import time
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from itertools import accumulate
from struct import unpack
from typing import Any, Final, Protocol

import hypothesis
from hypothesis import HealthCheck, Phase, strategies
from hypothesis.database import ExampleDatabase
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from fuzz.coverage import Coverage
from fuzz.engine.engine import Engine
from fuzz.engine.kinds import KINDS
from fuzz.engine.operations import Draws
from fuzz.explaining import explained
from fuzz.failure import Failure
from fuzz.literals import no_literals
from fuzz.looks import Look, look_of, name_of_last
from fuzz.seeded import FILLINGS
from fuzz.setups import Setup
from fuzz.staging import stage_for
from fuzz.swarm import switched_off, weights_of
from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target
from fuzz.violation import Violation
from fuzz.watch import IN_TURN

BATCH: Final = 10
"""Examples between two looks at the clock."""

# as bytes, which Hypothesis draws at once and evenly; as numbers they would be five draws, and mostly small
_OPERATION: Final = strategies.binary(min_size=10, max_size=10)
_EMPHASES: Final = strategies.binary(min_size=len(KINDS), max_size=len(KINDS))
_FILLING: Final = strategies.binary(min_size=25, max_size=25)


class Corpus(Protocol):
    """Sequences that are worth trying again, kept in a database of Hypothesis'."""

    @property
    def database(self) -> ExampleDatabase:
        """From which Hypothesis takes them, and in which it puts new ones."""

    def came_to(self, coverage: Coverage) -> None:
        """Told, inside each example, what it exercised."""


@dataclass(frozen=True)
class MachineRun:
    """What a run of the state machine came to.

    Attributes:
        seed: from which it can be done again.
        examples: sequences of operations that were tried.
        operations: of the engine.
        calls: to the allocators, each judged.
        seconds: that passed, the time for making a failure shorter included.
        coverage: what was exercised.
        failure: what broke; None if nothing did.
        excused: examples that ended early because something broke that the target does not promise.
        look: how the failure looked before it was made shorter.
        again: examples that ended in a failure that was known before, by how it looks.
    """

    seed: int | str
    examples: int
    operations: int
    calls: int
    seconds: float
    coverage: Coverage
    failure: Failure | None
    excused: int = 0
    look: Look | None = None
    again: Counter[Look] = field(default_factory=Counter)


def run_machine(
    setup: Setup,
    seed: int | str,
    *,
    target: Target = OWN,
    examples: int = 50,
    steps: int = 60,
    seconds: float | None = None,
    progress: Callable[[MachineRun], None] = lambda _: None,
    fault: str | None = None,
    reduce_seconds: float = 20.0,
    reduce_tries: int | None = None,
    known: Container[Look] = (),
    corpus: Corpus | None = None,
    batch_of: int = BATCH,
) -> MachineRun:
    """Let Hypothesis look for a sequence of operations that breaks something.

    Args:
        setup: what allocators are built from.
        seed: of all choices.
        target: what is driven.
        examples: sequences to try.
        steps: the most operations in one.
        seconds: after which no further batch of examples is begun.
        progress: told after each batch.
        fault: the seeded fault that is in force, to be noted in the failure.
        reduce_seconds: for making a failure shorter.
        reduce_tries: scripts that are tried to that end; none for as many as there is time for.
        known: how failures look that are known; they are counted, and end nothing but an example.
        corpus: where sequences are taken from that are worth trying again, and where new ones are put.
        batch_of: examples between two looks at the clock.
    """
    begun = time.monotonic()
    tally = Tally(known, corpus)
    run = MachineRun(seed, 0, 0, 0, 0.0, Coverage(), None)
    batch = 0
    while run.failure is None and batch * batch_of < examples:
        if seconds is not None and time.monotonic() - begun >= seconds:
            break
        machine = machine_of(target, setup, tally)
        hypothesis.seed(f"{seed}/{batch}")(machine)
        failure, look = None, None
        try:
            size = min(batch_of, examples - batch * batch_of)
            with no_literals():
                run_state_machine_as_test(machine, settings=_settings(size, steps, corpus))
        except Violation as violation:
            look = look_of(violation.property, name_of_last(tally.log), violation.problem)
            failure = replace(
                explained(target, setup, violation, tally.log, fault, reduce_seconds, reduce_tries), absent=tally.absent
            )
        batch += 1
        run = MachineRun(
            seed,
            tally.examples,
            tally.operations,
            tally.calls,
            time.monotonic() - begun,
            tally.coverage,
            failure,
            tally.excused,
            look,
            Counter(tally.again),
        )
        progress(run)
    return replace(run, seconds=time.monotonic() - begun)


class Tally:
    """What all examples of a run came to, and the calls of the last one that broke."""

    def __init__(self, known: Container[Look] = (), corpus: Corpus | None = None) -> None:
        self.known, self.corpus = known, corpus
        self.again: Counter[Look] = Counter()
        self.examples = self.operations = self.calls = self.excused = 0
        self.coverage = Coverage()
        self.log: list[Any] = []
        self.absent: tuple[str, ...] = ()
        """Kinds of operations that were switched off in that example."""


# zeros are drawn more often than other numbers, and stand for what a person would do first
_KINDS: Final = (KINDS["admit"], *(kind for kind in KINDS.values() if kind.name != "admit"))


def machine_of(target: Target, setup: Setup, tally: Tally) -> type[RuleBasedStateMachine]:
    """A state machine that operates an engine."""

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.stage = stage_for(target, setup, IN_TURN)
            self.engine = Engine(self.stage)
            self.over = self.broke = False
            tally.examples += 1

        @initialize(emphases=_EMPHASES, filling=_FILLING)
        def begin(self, emphases: bytes, filling: bytes) -> None:
            """Each kind of operation is rarer or more frequent in one example than in another, or absent from it.

            Some examples begin in an arena that is filled kind by kind.
            """
            weights = weights_of([kind.name for kind in _KINDS], emphases)
            self.upto = list(accumulate(weights.values()))
            self.absent = switched_off(weights)
            for place in range(1, 1 + 8 * FILLINGS[filling[0] % len(FILLINGS)], 8):
                self.operate("one-kind", unpack("<4H", filling[place : place + 8]))

        @rule(drawn=_OPERATION)
        def operate_one(self, drawn: bytes) -> None:
            which, *draws = unpack("<5H", drawn)
            # one rule for all, since Hypothesis does not choose evenly among many
            self.operate(_KINDS[bisect(self.upto, which * self.upto[-1] >> 16)].name, tuple(draws))

        def teardown(self) -> None:
            tally.calls += self.stage.calls
            coverage = self.stage.coverage()
            tally.coverage += coverage
            if tally.corpus is not None and not self.broke:
                tally.corpus.came_to(coverage)

        def operate(self, name: str, draws: Draws) -> None:
            if self.over:
                return
            tally.operations += 1
            try:
                self.stage.note(name, KINDS[name].act(self.engine, draws))
                self.stage.meanwhile(draws)
            except Violation as violation:
                look = look_of(violation.property, name_of_last(self.stage.log), violation.problem)
                if violation.property in target.promises and look not in tally.known:
                    self.broke = True
                    tally.log, tally.absent = self.stage.log, self.absent
                    raise
                self.over = True
                if look in tally.known:
                    tally.again[look] += 1
                else:
                    tally.excused += 1

    return Machine


def _settings(examples: int, steps: int, corpus: Corpus | None) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None if corpus is None else corpus.database,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        # what is found is made shorter call by call, which takes less time than bit by bit
        phases=[Phase.generate] if corpus is None else [Phase.reuse, Phase.generate],
    )
