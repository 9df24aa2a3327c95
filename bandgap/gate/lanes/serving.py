"""Serving driven: tiny engines with everything that a serving engine has, asked, disturbed and watched."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bandgap.explaining_serving import explain_serving
from bandgap.gate.evidence import Canary, Count, Evidence
from bandgap.gate.lane import Lane
from bandgap.gate.settings import Settings
from bandgap.gate.task import Progress, Task
from fuzz.serving.driver import Run, run_seeded
from fuzz.serving.faults import CANARY
from fuzz.serving.floors import floors
from fuzz.serving.machine import run_machine
from fuzz.serving.reproduction import saved
from fuzz.serving.scene import SORTS

MACHINE = "state machine"
"""The task of Hypothesis."""


@dataclass(frozen=True)
class Amount:
    """How much is done."""

    lives: int
    """Lives in each sort of scene."""
    examples: int
    """Lives that Hypothesis tries."""


QUICK = Amount(lives=4, examples=6)
USUAL = Amount(lives=36, examples=40)

STEPS = 30
"""Operations in one example."""

LEAST_OPERATIONS = 15
LEAST_JOBS = 1
"""Jobs of a life, on average; fewer mean that lives end before they begin."""


def amount(settings: Settings) -> Amount:
    """The amount of a quick or a usual gate, times the patience."""
    usual = QUICK if settings.quick else USUAL
    return Amount(usual.lives * settings.patience, usual.examples * settings.patience)


def driver(sort: str, settings: Settings, progress: Progress) -> Evidence:
    """Live lives in scenes of a sort, each operation chosen from a seed."""
    lives = amount(settings).lives
    run = run_seeded(
        settings.seed_of(f"serving/{sort}"),
        lives=lives,
        sorts=[sort],
        progress=lambda run: progress(run.lives / lives, _evidence(run, 0)),
    )
    return _found(run, _evidence(run, lives), f"serving, {sort}", settings)


def machine(settings: Settings, progress: Progress) -> Evidence:
    """Let Hypothesis look for a scene, and operations in it, that break something together."""
    examples = amount(settings).examples
    run = run_machine(
        settings.seed_of("serving/machine"),
        examples=examples,
        steps=STEPS,
        progress=lambda run: progress(run.lives / examples, _evidence(run, 0)),
    )
    return _found(run, _evidence(run, examples), f"serving, {MACHINE}", settings)


def canary(settings: Settings, _progress: Progress) -> Evidence:
    """Whether the driver finds a deliberate fault."""
    with CANARY.apply():
        run = run_seeded(
            settings.seed_of("serving canary"),
            lives=QUICK.lives,
            sorts=[CANARY.sort],
            fault=CANARY.name,
            reduce_tries=0,
        )
    caught = run.failure.property if run.failure else None
    return Evidence(canaries=(Canary(f"the seeded fault {CANARY.name}", CANARY.property, caught),))


def tasks(settings: Settings) -> Sequence[Task]:
    """The canary, the driver on scenes of each sort, and the state machine on all of them."""
    limit = 120 if settings.quick else 600
    return (
        Task("serving", "canary", canary, seconds=60),
        *(Task("serving", sort, partial(driver, sort), seconds=limit) for sort in SORTS),
        Task("serving", MACHINE, machine, seconds=limit),
    )


def lane_floors(settings: Settings) -> Mapping[str, int]:
    """Every operation with all that can come of it, and all that can happen meanwhile; in a quick gate the frequent."""
    return floors(quick=settings.quick)


SERVING = Lane(
    "serving",
    "Tiny engines with prefix caches, host tiers, files, drafts, transfers and ranks say what a model says on memory "
    "of its own, whatever is done to them; no event breaks a property, nothing races, and nothing is left.",
    tasks,
    lane_floors,
)


def _evidence(run: Run, lives: int) -> Evidence:
    counts = (
        Count("lives of engines", run.lives, lives),
        Count("operations on engines", run.operations, LEAST_OPERATIONS * lives),
        Count("jobs compared", run.jobs, LEAST_JOBS * lives),
    )
    return Evidence(counts, tuple(run.named()))


def _found(run: Run, evidence: Evidence, where: str, settings: Settings) -> Evidence:
    """The evidence with what was found; a run that found something was not finished, and nobody expects it to be."""
    if run.failure is None:
        return evidence
    path = str(saved(run.failure, settings.out / "failures"))
    found = explain_serving(run.failure, f"{where}, seed {run.seed}", path, f"bandgap reproduce {shlex.quote(path)}")
    return replace(evidence, counts=tuple(replace(count, floor=0) for count in evidence.counts), violations=(found,))
