"""Units about engines: lives in scenes of one sort, of the seeded driver or of the state machine."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Final

from fuzz.campaign.plan import Plan
from fuzz.campaign.record import Finding, Met, Record, in_order, listed
from fuzz.campaign.work import PATIENCE, STEPS, Unit, seed_of
from fuzz.serving.driver import run_seeded
from fuzz.serving.failure import Failure
from fuzz.serving.faults import FAULTS, in_force
from fuzz.serving.machine import run_machine
from fuzz.serving.pasted import pasted
from fuzz.serving.reproduction import encoded
from fuzz.serving.scene import SORTS

ENGINES: Final = "serving"
"""The name by which engines are chosen instead of an allocator."""

CALLS_OF_EXAMPLE: Final = 150
"""Calls of the seeded driver that take as long as one example of the state machine."""

TRIES: Final = 400
"""Lives that are lived to make a failure shorter; each takes longer than an allocator's."""


class Engines:
    """See `Work`."""

    setups: Sequence[str] = SORTS
    kinds: Sequence[str] = ("driver", "machine")
    faults: Collection[str] = FAULTS.keys()

    def under(self, fault: str) -> AbstractContextManager[object]:
        """See `Work.under`."""
        return in_force(fault)

    def do(self, plan: Plan, unit: Unit, setup: str, kind: str) -> Record:
        """See `Work.do`."""
        seed, sorts = seed_of(plan, unit), [setup]
        if kind == "driver":
            run = run_seeded(
                seed,
                calls=plan.unit_calls,
                sorts=sorts,
                fault=plan.fault,
                reduce_seconds=PATIENCE,
                reduce_tries=TRIES,
                known=unit.known,
            )
        else:
            run = run_machine(
                seed,
                examples=max(1, plan.unit_calls // CALLS_OF_EXAMPLE),
                steps=STEPS,
                sorts=sorts,
                fault=plan.fault,
                reduce_seconds=PATIENCE,
                reduce_tries=TRIES,
                known=unit.known,
            )
        met = [Met(look, times) for look, times in sorted(run.again.items())]
        if run.failure is not None:
            assert run.look is not None, "every failure has one"
            met.append(Met(run.look, 1, run.failure.look, _finding(run.failure, setup)))
        return Record(
            unit.lane,
            unit.index,
            kind,
            setup,
            run.lives,
            run.operations,
            run.calls,
            actions=in_order(run.actions),
            done=listed(run.done),
            events=in_order(run.events),
            met=tuple(met),
        )


def _finding(failure: Failure, setup: str) -> Finding:
    file, shown = encoded(failure).decode(), pasted(failure)
    return Finding(failure.look, setup, failure.problem, len(failure.script), file, shown)
