"""How fast an allocator is driven, judged and read back, beside the state machine of Hypothesis that does nothing."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any, Final

import hypothesis
import torch
from hypothesis import HealthCheck, Phase
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from bench.cores import AllCores, Doing, all_cores
from bench.rows import Beside, Figure, Row, row_of
from crew.processors import processors
from fuzz.machine import run_machine
from fuzz.seeded import run_seeded
from fuzz.setups import MODELS, TOYS, setup_of
from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import SIMULATED
from fuzz.watch import IN_PASSING, IN_TURN

STEPS: Final = 40
"""Steps of one example of a state machine."""

RULES: Final = 8
"""Rules of the machine that does nothing."""

PEER: Final = f"an empty machine of {RULES} rules, Hypothesis {hypothesis.__version__}"

_READ_BACK: Final = (
    "Bytes are really written, through the typed views; every written page and the page tables are read back after a "
    f"call that moved, copied, wiped or settled, and after every {IN_PASSING.contents_every} calls."
)


@dataclass(frozen=True)
class Measured:
    """A figure, and what is done for it in each round.

    Attributes:
        figure: in times per second.
        doing: what is done: with a seed, so many times at least; how often it was.
        on_all_cores: whether by one process on every core, per second of the clock, or by one alone, per second of
            processor time.
    """

    figure: Figure
    doing: Doing
    on_all_cores: bool = False


def _driver(setups: Sequence[str], target: Target, seed: int, calls: int) -> int:
    run = run_seeded([setup_of(name) for name in setups], seed, target=target, calls=calls)
    assert run.failure is None, f"what is measured must hold: {run.failure}"
    return run.calls


def _machine(setups: Sequence[str], seed: int, calls: int) -> int:
    made = 0
    while made < calls:
        for name in setups:
            run = run_machine(setup_of(name), seed, examples=10, steps=STEPS)
            assert run.failure is None, f"what is measured must hold: {run.failure}"
            made += run.calls
        seed += 1
    return made


CORES: Final = processors()
"""That this process may use."""

FIGURES: Final = (
    Measured(
        Figure(
            "seeded driver, small chains",
            "judged calls/s",
            True,
            f"Every call judged, every admission decided once more. {_READ_BACK} Tables are compared after every "
            f"{IN_PASSING.tables_every} calls; all of it at the end of a life. Of one core.",
        ),
        partial(_driver, tuple(TOYS), OWN),
    ),
    Measured(
        Figure(
            "seeded driver, models", "judged calls/s", True, "The same on real models' layouts, whose pages are large."
        ),
        partial(_driver, tuple(MODELS), OWN),
    ),
    Measured(
        Figure(
            "seeded driver, simulated device",
            "judged calls/s",
            True,
            "The same where work is done later; small chains.",
        ),
        partial(_driver, tuple(TOYS), SIMULATED),
    ),
    Measured(
        Figure(
            "state machine",
            "judged calls/s",
            True,
            f"Chosen by Hypothesis, every written page read back after every call, tables compared after every "
            f"{IN_TURN.tables_every}; small chains.",
        ),
        partial(_machine, tuple(TOYS)),
    ),
    Measured(
        Figure(
            "seeded driver, all cores, small chains",
            "judged calls/s",
            True,
            f"Of the whole machine, by the clock: one process on each of its {CORES} cores, started as those of a "
            "campaign, each with a seed of its own, until the last has made its calls; so does the empty machine.",
        ),
        partial(_driver, tuple(TOYS), OWN),
        on_all_cores=True,
    ),
    Measured(
        Figure(
            "seeded driver, all cores, models",
            "judged calls/s",
            True,
            f"The same on real models' layouts, on {CORES} cores.",
        ),
        partial(_driver, tuple(MODELS), OWN),
        on_all_cores=True,
    ),
)


def measure(rounds: int, calls: int) -> Iterator[Row]:
    """The figures, each measured so often with so many calls, the peer right after it."""
    # as in a campaign, where each process has a core, and the collector leaves alone what is loaded
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    with ExitStack() as stack:
        together: AllCores | None = None
        for number, one in enumerate(FIGURES):
            if one.on_all_cores and together is None:
                together = stack.enter_context(all_cores(CORES))
            rate = together.per_second if one.on_all_cores and together is not None else on_one_core
            ours, theirs = [], []
            for round_ in range(rounds):
                ours.append(rate(one.doing, 1000 * number + round_, calls))
                theirs.append(rate(empty_machine, round_, calls))
            yield row_of(one.figure, ours, theirs, Beside(PEER, None))


def on_one_core(doing: Doing, seed: int, times: int) -> float:
    """How often per second of processor time something is done by this process alone."""
    begun = process_time()
    return doing(seed, times) / (process_time() - begun)


def empty_machine(seed: int, steps: int) -> int:
    """Do steps of a state machine of eight rules, none of which does anything; how many."""
    done = [0]
    machine = _empty(done)
    hypothesis.seed(seed)(machine)
    run_state_machine_as_test(machine, settings=_settings(max(1, steps // STEPS)))
    return done[0]


def _empty(done: list[int]) -> type[RuleBasedStateMachine]:
    def nothing(number: int) -> Any:
        def step(_: object) -> None:
            done[0] += 1

        step.__name__ = f"rule_{number}"
        return rule()(step)

    return type("Empty", (RuleBasedStateMachine,), {f"rule_{n}": nothing(n) for n in range(RULES)})


def _settings(examples: int) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
