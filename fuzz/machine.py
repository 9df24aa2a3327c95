"""The state machine: the same operations, chosen and shrunk by Hypothesis, every call watched from outside."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from struct import unpack
from typing import Any, Final

import hypothesis
from hypothesis import HealthCheck, Phase, strategies
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from fuzz.coverage import Coverage
from fuzz.engine.engine import Engine
from fuzz.engine.kinds import KINDS
from fuzz.engine.operations import Draws
from fuzz.explaining import explained
from fuzz.failure import Failure
from fuzz.setups import Setup
from fuzz.staging import stage_for
from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target
from fuzz.violation import Violation
from fuzz.watch import IN_TURN

BATCH: Final = 10
"""Examples between two looks at the clock."""

# as bytes, which Hypothesis draws at once and evenly; as numbers they would be five draws, and mostly small
_DRAWS: Final = strategies.binary(min_size=9, max_size=9)

RARELY: Final = 1
OFTEN: Final = 6
"""Hypothesis chooses among rules evenly: all operations of the one weight and below share a rule, and each of the other
weight and above gets two."""


@dataclass(frozen=True)
class MachineRun:
    """What a run of the state machine came to.

    Attributes:
        seed: from which it can be done again.
        examples: sequences of operations that were tried, those made while shrinking included.
        operations: of the engine.
        calls: to the allocators, each judged.
        seconds: that passed, shrinking included.
        coverage: what was exercised.
        failure: what broke; None if nothing did.
        excused: examples that ended early because something broke that the target does not promise.
    """

    seed: int
    examples: int
    operations: int
    calls: int
    seconds: float
    coverage: Coverage
    failure: Failure | None
    excused: int = 0


def run_machine(
    setup: Setup,
    seed: int,
    *,
    target: Target = OWN,
    examples: int = 50,
    steps: int = 60,
    seconds: float | None = None,
    progress: Callable[[MachineRun], None] = lambda _: None,
    fault: str | None = None,
    reduce_seconds: float = 20.0,
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
        reduce_seconds: for making a failure shorter after Hypothesis has.
    """
    begun = time.monotonic()
    tally = _Tally()
    run = MachineRun(seed, 0, 0, 0, 0.0, Coverage(), None)
    batch = 0
    while run.failure is None and batch * BATCH < examples:
        if seconds is not None and time.monotonic() - begun >= seconds:
            break
        machine = machine_of(target, setup, tally)
        hypothesis.seed(f"{seed}/{batch}")(machine)
        failure = None
        try:
            run_state_machine_as_test(machine, settings=_settings(min(BATCH, examples - batch * BATCH), steps))
        except Violation as violation:
            failure = explained(target, setup, violation, tally.log, fault, reduce_seconds)
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
        )
        progress(run)
    return replace(run, seconds=time.monotonic() - begun)


class _Tally:
    """What all examples of a run came to, and the calls of the last one that broke."""

    def __init__(self) -> None:
        self.examples = self.operations = self.calls = self.excused = 0
        self.coverage = Coverage()
        self.log: list[Any] = []


def machine_of(target: Target, setup: Setup, tally: _Tally) -> type[RuleBasedStateMachine]:
    """A state machine whose rules are the engine's operations."""

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.stage = stage_for(target, setup, IN_TURN)
            self.engine = Engine(self.stage)
            self.over = False
            tally.examples += 1

        def teardown(self) -> None:
            tally.calls += self.stage.calls
            tally.coverage += self.stage.coverage()

        def operate(self, name: str, draws: Draws) -> None:
            if self.over:
                return
            tally.operations += 1
            try:
                self.stage.note(name, KINDS[name].act(self.engine, draws))
                self.stage.meanwhile(draws)
            except Violation as violation:
                if violation.property in target.promises:
                    tally.log = self.stage.log
                    raise
                self.over = True
                tally.excused += 1

    rules = {kind.name: [kind.name] for kind in KINDS.values() if kind.weight > RARELY}
    rules |= {f"{kind.name}-again": [kind.name] for kind in KINDS.values() if kind.weight >= OFTEN}
    rules["rarely"] = [kind.name for kind in KINDS.values() if kind.weight <= RARELY]
    for rule_name, names in rules.items():
        attribute = rule_name.replace("-", "_")
        setattr(Machine, attribute, _rule(names, attribute))
    return Machine


def _rule(names: Sequence[str], attribute: str) -> Any:
    def operate(self: Any, draws: bytes) -> None:
        *numbers, which = unpack("<4HB", draws)
        self.operate(names[which % len(names)], tuple(numbers))

    operate.__name__ = attribute
    return rule(draws=_DRAWS)(operate)


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
        phases=[Phase.generate, Phase.shrink],
    )
