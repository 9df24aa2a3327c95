"""One unit of work: a little of the seeded driver, of the state machine, or of a peer's driver."""

import time
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import torch

from fuzz.campaign.plan import Plan, code_now
from fuzz.campaign.record import NOTHING, Finding, Kept, Met, Record, in_order, listed
from fuzz.campaign.shelf import Shelf
from fuzz.failure import Failure
from fuzz.faults.all import FAULTS
from fuzz.looks import Look, look_of, name_of_last
from fuzz.machine import MachineRun, run_machine
from fuzz.pasted import pasted
from fuzz.peers.environments import found, is_peer
from fuzz.peers.hunting import Finding as PeerFinding
from fuzz.peers.hunting import Hunt, hunt
from fuzz.peers.process import PeerFailed, PeerProcess
from fuzz.peers.reproduction import encoded as peer_encoded
from fuzz.reproduction import encoded
from fuzz.seeded import Run, run_seeded
from fuzz.setups import setup_names, setup_of
from fuzz.targets.all import TARGETS
from fuzz.targets.protocol import Target

STEPS: Final = 40
"""Operations in one example of the state machine."""

CALLS_OF_EXAMPLE: Final = 200
"""Calls of the seeded driver that take as long as one example of the state machine."""

REDUCTION_TRIES: Final = 2_000
"""Scripts that are tried to make a failure shorter: by number, for the same failure must come out the same."""

PATIENCE: Final = 900.0
"""Seconds for making a failure shorter, after which it is left as it is; only what hangs needs them."""


@dataclass(frozen=True)
class Unit:
    """What a unit starts from, besides the plan.

    Attributes:
        lane: of the unit.
        index: of the unit in its lane.
        known: how failures look that the lane has met.
        before: of the corpus what the unit may use.
    """

    lane: int
    index: int
    known: frozenset[Look] = frozenset()
    before: Kept = NOTHING


class OtherCode(Exception):
    """The code here is not the code that the campaign is about."""


def setup_for(plan: Plan, lane: int, index: int) -> str:
    """The setup of a unit: lanes begin with different ones; empty for a peer, whose driver knows its own."""
    names = setup_names()
    return "" if is_peer(plan.target) else names[(lane + index // 2) % len(names)]


def is_of_machine(plan: Plan, index: int) -> bool:
    """Whether a unit is the state machine's: every other one is."""
    return index % 2 == 1 and not is_peer(plan.target)


def is_first_of_setup(index: int) -> bool:
    """Whether the lane has not had the state machine on this setup before."""
    return index // 2 < len(setup_names())


def run_unit(plan: Plan, unit: Unit) -> Record:
    """Do one unit.

    Raises:
        OtherCode: the code here is other than the plan's.
        PeerFailed: a peer's driver failed.
    """
    here = code_now(plan.target, plan.checkout, plan.python)
    if here != plan.code:
        raise OtherCode(f"this machine has the code {here}, and the campaign is about {plan.code}")
    # the cores are shared out between processes, so a process needs no threads of its own
    torch.set_num_threads(1)
    begun = time.monotonic()
    with FAULTS[plan.fault].apply() if plan.fault in FAULTS else nullcontext():
        if is_peer(plan.target):
            record = _of_peer(plan, unit)
        else:
            target = TARGETS[plan.target]
            do = _of_machine if is_of_machine(plan, unit.index) else _of_driver
            record = do(plan, unit, target)
    return _timed(record, time.monotonic() - begun)


def _seed(plan: Plan, unit: Unit) -> str:
    return f"{plan.seed}/{unit.lane}/{unit.index}"


def _of_driver(plan: Plan, unit: Unit, target: Target) -> Record:
    setup = setup_for(plan, unit.lane, unit.index)
    run = run_seeded(
        [setup_of(setup)],
        _seed(plan, unit),
        target=target,
        calls=plan.unit_calls,
        fault=plan.fault,
        reduce_seconds=PATIENCE,
        reduce_tries=REDUCTION_TRIES,
        known=unit.known,
    )
    return _recorded(unit, "driver", setup, run, run.lives, target)


def _of_machine(plan: Plan, unit: Unit, target: Target) -> Record:
    setup, shelf = setup_for(plan, unit.lane, unit.index), Shelf(unit.before)
    examples = max(1, plan.unit_calls // CALLS_OF_EXAMPLE)
    run = run_machine(
        setup_of(setup),
        _seed(plan, unit),
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


# -------------------------------------------------------------------------------------------------------------- peers


def _of_peer(plan: Plan, unit: Unit) -> Record:
    process = _peer(plan.target, plan.checkout, plan.python)
    try:
        done = hunt(
            process,
            process.description.setups,
            _seed(plan, unit),
            seconds=float("inf"),
            calls=plan.unit_calls,
            fault=plan.fault,
            shrink_seconds=PATIENCE,
            shrink_tries=REDUCTION_TRIES,
            known=unit.known,
        )
    except PeerFailed:
        # the next unit has a new one
        process.close()
        _peer.cache_clear()
        raise
    return _recorded_hunt(plan, unit, done, process)


@cache
def _peer(name: str, checkout: str | None, python: str | None) -> PeerProcess:
    """A driver's process for all units that are done here; it ends with this one."""
    there, own = (None if value is None else Path(value) for value in (checkout, python))
    return PeerProcess(found(name, checkout=there, python=own))


def _recorded_hunt(plan: Plan, unit: Unit, done: Hunt, process: PeerProcess) -> Record:
    met = [Met(look, times) for look, times in sorted(done.again.items())]
    named: set[Look] = set()
    for raw, look in done.first_looks.items():
        finding = done.findings[look]
        is_first = look not in named
        named.add(look)
        shown = _peer_finding(finding, plan.target, process.description.version) if is_first else None
        met.append(Met(raw, finding.times if is_first else 0, look, shown))
    return Record(
        unit.lane,
        unit.index,
        "peer",
        "",
        done.lives,
        0,
        done.calls,
        actions=in_order(done.actions),
        outcomes=listed(done.outcomes),
        met=tuple(met),
    )


def _peer_finding(finding: PeerFinding, target: str, version: str) -> Finding:
    name = target.partition("==")[0].rpartition("/")[2].removesuffix(".py")
    shown = "\n".join(repr(call) for call in finding.script)
    file = peer_encoded(finding, name, version).decode()
    return Finding(finding.looks(), finding.setup, finding.problem, len(finding.script), file, shown)


def _timed(record: Record, seconds: float) -> Record:
    return msgspec.structs.replace(record, seconds=round(seconds, 3))
