"""Units about an allocator of ours: a little of the seeded driver, or of the state machine, on one setup."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Final

from fuzz.campaign.plan import Plan
from fuzz.campaign.record import NOTHING, Finding, Kept, Met, Record, in_order, listed
from fuzz.campaign.shelf import Shelf
from fuzz.campaign.work import PATIENCE, REDUCTION_TRIES, STEPS, Unit, seed_of
from fuzz.failure import Failure
from fuzz.faults.all import FAULTS
from fuzz.looks import look_of, name_of_last
from fuzz.machine import MachineRun, run_machine
from fuzz.pasted import pasted
from fuzz.reproduction import encoded
from fuzz.seeded import Run, run_seeded
from fuzz.setups import setup_names, setup_of
from fuzz.targets.all import TARGETS
from fuzz.targets.protocol import Target

CALLS_OF_EXAMPLE: Final = 200
"""Calls of the seeded driver that take as long as one example of the state machine."""


class Allocators:
    """See `Work`."""

    kinds: Sequence[str] = ("driver", "machine")
    faults: Collection[str] = FAULTS.keys()

    @property
    def setups(self) -> Sequence[str]:
        """See `Work.setups`."""
        return setup_names()

    def under(self, fault: str) -> AbstractContextManager[object]:
        """See `Work.under`."""
        return FAULTS[fault].apply()

    def do(self, plan: Plan, unit: Unit, setup: str, kind: str) -> Record:
        """See `Work.do`."""
        return (_of_machine if kind == "machine" else _of_driver)(plan, unit, setup, TARGETS[plan.target])


def _of_driver(plan: Plan, unit: Unit, setup: str, target: Target) -> Record:
    run = run_seeded(
        [setup_of(setup)],
        seed_of(plan, unit),
        target=target,
        calls=plan.unit_calls,
        fault=plan.fault,
        reduce_seconds=PATIENCE,
        reduce_tries=REDUCTION_TRIES,
        known=unit.known,
    )
    return _recorded(unit, "driver", setup, run, run.lives, target)


def _of_machine(plan: Plan, unit: Unit, setup: str, target: Target) -> Record:
    shelf, examples = Shelf(unit.before), max(1, plan.unit_calls // CALLS_OF_EXAMPLE)
    run = run_machine(
        setup_of(setup),
        seed_of(plan, unit),
        target=target,
        examples=examples,
        steps=STEPS,
        fault=plan.fault,
        reduce_seconds=PATIENCE,
        reduce_tries=REDUCTION_TRIES,
        known=unit.known,
        corpus=shelf,
        batch_of=examples,
    )
    return _recorded(unit, "machine", setup, run, run.examples, target, shelf.added)


def _recorded(
    unit: Unit, kind: str, setup: str, run: Run | MachineRun, lives: int, target: Target, kept: Kept = NOTHING
) -> Record:
    met = [Met(look, times) for look, times in sorted(run.again.items())]
    if run.failure is not None:
        assert run.look is not None  # every failure has one
        finding = _finding(run.failure, target)
        met.append(Met(run.look, 1, finding.look, finding))
    coverage = run.coverage
    return Record(
        unit.lane,
        unit.index,
        kind,
        setup,
        lives,
        run.operations,
        run.calls,
        actions=in_order(coverage.actions),
        outcomes=listed(coverage.outcomes),
        done=listed(coverage.operations),
        rejections=listed(coverage.rejections),
        boundaries=in_order(coverage.boundaries),
        pairs=listed(coverage.pairs),
        calls_in_turn=listed(coverage.calls),
        met=tuple(met),
        excused=run.excused,
        kept=kept,
    )


def _finding(failure: Failure, target: Target) -> Finding:
    look = look_of(failure.property, name_of_last(failure.script), failure.problem)
    file, shown = encoded(failure).decode(), pasted(failure, target)
    return Finding(look, failure.setup.name, failure.problem, len(failure.script), file, shown)
