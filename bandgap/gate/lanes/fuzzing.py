"""The allocator driven as a serving engine would drive it: by the state machine and by the seeded driver.

Both share their operations. Hypothesis tries what it thinks of, and everything is read back after every call; the
driver makes many more calls and is watched in passing. Both are also at work in a lane on a simulated device, where
work is done later: each example and each life draws a schedule of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bandgap.gate.evidence import Canary, Count, Evidence
from bandgap.gate.failures import violation_of
from bandgap.gate.lane import Lane
from bandgap.gate.settings import Settings
from bandgap.gate.targets import target_named
from bandgap.gate.task import Progress, Task
from fuzz.coverage import call
from fuzz.faults.all import FAULTS
from fuzz.faults.fault import Fault
from fuzz.floors import floors
from fuzz.machine import MachineRun, run_machine
from fuzz.seeded import Run, run_seeded
from fuzz.setups import TOYS, setup_names, setup_of, small_names
from fuzz.simulated import schedule
from fuzz.simulated.work import SORTS
from fuzz.targets.all import TARGETS
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import SIMULATED

STEPS = 40
"""Operations in one example of the state machine."""

MACHINE_CANARY = FAULTS["ids-are-taken-for-pages"]
"""Broken by a few calls, which are found and made fewer in a second."""

DRIVER_CANARY = FAULTS["withheld-pages-are-handed-out"]

DEVICE_CANARY = FAULTS["settling-holds-nothing-back"]

SMALL = "small sizes"
"""The task on pages of every small size."""


@dataclass(frozen=True)
class Amount:
    """How much is done with each layout."""

    examples: int
    calls: int
    examples_simulated: int
    """Examples on a simulated device, with each small layout."""
    calls_simulated: int
    """Calls on a simulated device, with each layout."""
    calls_small: int
    """Calls with all layouts of small sizes together."""


QUICK = Amount(examples=40, calls=6_000, examples_simulated=20, calls_simulated=1_200, calls_small=9_000)
USUAL = Amount(examples=600, calls=120_000, examples_simulated=300, calls_simulated=40_000, calls_small=160_000)


def amount(settings: Settings) -> Amount:
    """The amount of a quick or a usual gate, times the patience."""
    usual, patience = QUICK if settings.quick else USUAL, settings.patience
    return Amount(
        usual.examples * patience,
        usual.calls * patience,
        usual.examples_simulated * patience,
        usual.calls_simulated * patience,
        usual.calls_small * patience,
    )


# ------------------------------------------------------------------------------------------------ the state machine


def machine(setup: str, settings: Settings, progress: Progress) -> Evidence:
    """Let Hypothesis look for a sequence of operations that breaks something."""
    return _machined("machine", setup, target_named(settings.target), amount(settings).examples, settings, progress)


def _machined(lane: str, setup: str, target: Target, examples: int, settings: Settings, progress: Progress) -> Evidence:
    def tell(run: MachineRun) -> None:
        progress(run.examples / examples, _machine_evidence(run, 0))

    run = run_machine(
        setup_of(setup),
        settings.seed_of(f"{lane}/{setup}"),
        target=target,
        examples=examples,
        steps=STEPS,
        progress=tell,
    )
    return _found(run, _machine_evidence(run, examples), f"{setup}, state machine", settings)


def machine_canary(settings: Settings, _progress: Progress) -> Evidence:
    """Whether the state machine finds a deliberate fault."""
    with MACHINE_CANARY.apply():
        run = run_machine(setup_of(setup_names()[0]), settings.seed_of("machine canary"), fault=MACHINE_CANARY.name)
    return Evidence(canaries=(_canary(MACHINE_CANARY, run),))


# ------------------------------------------------------------------------------------------------ the seeded driver


def driver(setup: str, settings: Settings, progress: Progress) -> Evidence:
    """Make many calls, chosen from a seed."""
    target, calls = target_named(settings.target), amount(settings).calls
    return _driven("driver", setup, target, calls, settings, progress)


def small_sizes(settings: Settings, progress: Progress) -> Evidence:
    """Make many calls on pages of every small size, each beside every other."""
    return _driven("driver", SMALL, target_named(settings.target), amount(settings).calls_small, settings, progress)


def device(setup: str, settings: Settings, progress: Progress) -> Evidence:
    """Make calls, chosen from a seed, and let a simulated device do its work in an order chosen from it too."""
    return _driven("device", setup, SIMULATED, amount(settings).calls_simulated, settings, progress)


def device_machine(setup: str, settings: Settings, progress: Progress) -> Evidence:
    """Let Hypothesis look for operations and a schedule of a simulated device that break something together."""
    return _machined("device machine", setup, SIMULATED, amount(settings).examples_simulated, settings, progress)


def _driven(lane: str, setup: str, target: Target, calls: int, settings: Settings, progress: Progress) -> Evidence:
    def tell(run: Run) -> None:
        progress(run.calls / calls, _driver_evidence(run, 0))

    seed = settings.seed_of(f"{lane}/{setup}")
    setups = small_names() if setup == SMALL else (setup,)
    run = run_seeded([setup_of(name) for name in setups], seed, target=target, calls=calls, progress=tell)
    return _found(run, _driver_evidence(run, calls), f"{setup}, seeded driver", settings)


def driver_canary(settings: Settings, _progress: Progress) -> Evidence:
    """Whether the seeded driver finds a deliberate fault."""
    return _driver_canary(DRIVER_CANARY, settings.seed_of("driver canary"))


def device_canary(settings: Settings, _progress: Progress) -> Evidence:
    """Whether it finds one of order on a simulated device."""
    return _driver_canary(DEVICE_CANARY, settings.seed_of("device canary"))


def _driver_canary(fault: Fault, seed: int) -> Evidence:
    with fault.apply():
        run = run_seeded(
            [setup_of(setup_names()[0])], seed, target=TARGETS[fault.target], calls=QUICK.calls, fault=fault.name
        )
    return Evidence(canaries=(_canary(fault, run),))


# -------------------------------------------------------------------------------------------------------- the lanes


def _tasks(
    lane: str,
    of_setup: Callable[[str, Settings, Progress], Evidence],
    canary: Callable[[Settings, Progress], Evidence],
    seconds: tuple[float, float],
    settings: Settings,
) -> Sequence[Task]:
    limit = seconds[0] if settings.quick else seconds[1]
    # the large models last, for they take longest to set up and shortest to run
    return (
        Task(lane, "canary", canary, seconds=60),
        *(Task(lane, name, partial(of_setup, name), seconds=limit) for name in setup_names()),
    )


def _driver_tasks(settings: Settings) -> Sequence[Task]:
    limit = 120 if settings.quick else 600
    return (
        *_tasks("driver", driver, driver_canary, (120, 600), settings),
        Task("driver", SMALL, small_sizes, seconds=limit),
    )


def _device_tasks(settings: Settings) -> Sequence[Task]:
    limit = 120 if settings.quick else 600
    return (
        *_tasks("device", device, device_canary, (120, 600), settings),
        *(Task("device", f"{name}, state machine", partial(device_machine, name), seconds=limit) for name in TOYS),
    )


def machine_floors(settings: Settings) -> Mapping[str, int]:
    """Little, for Hypothesis makes few calls: the rarest things may not happen in a quick gate."""
    return floors(1, 0, 120, 150) if settings.quick else floors(20, 3, 220, 260)


def driver_floors(settings: Settings) -> Mapping[str, int]:
    """How often the driver must exercise each thing: often, for it makes many calls."""
    return floors(25, 1, 240, 290) if settings.quick else floors(400, 20, 270, 340)


def device_floors(settings: Settings) -> Mapping[str, int]:
    """Every action, every sort of work that tickets do, in every sort of order, while more was asked for."""
    least, pairs = (3, (200, 250)) if settings.quick else (100, (260, 320))
    work = [*(call("work", sort) for sort in SORTS), *(call("schedule", sort) for sort in schedule.SORTS)]
    return {**floors(least, 0, *pairs), **dict.fromkeys(work, least), call("advance", "done"): 100 * least}


MACHINE = Lane(
    "machine",
    "No sequence of calls that Hypothesis tries breaks a property, loses a byte or makes tables disagree.",
    partial(_tasks, "machine", machine, machine_canary, (120, 600)),
    machine_floors,
)
DRIVER = Lane(
    "driver",
    "No call of the seeded driver breaks a property, loses a byte or makes tables disagree.",
    _driver_tasks,
    driver_floors,
)
DEVICE = Lane(
    "device",
    "On a simulated device, in whatever order it does its work, nothing races, no foreign byte is read, and the host "
    "never waits.",
    _device_tasks,
    device_floors,
)


def _machine_evidence(run: MachineRun, examples: int) -> Evidence:
    return Evidence(
        (Count("examples", run.examples, examples), Count("calls judged", run.calls, examples)),
        tuple(run.coverage.named()),
    )


def _driver_evidence(run: Run, calls: int) -> Evidence:
    counts = (
        Count("lives of an allocator", run.lives, min(1, calls)),
        Count("calls judged", run.calls, calls),
        Count("page actions", run.coverage.page_actions, calls // 2),
    )
    return Evidence(counts, tuple(run.coverage.named()))


def _found(run: MachineRun | Run, evidence: Evidence, where: str, settings: Settings) -> Evidence:
    """The evidence with what was found; a run that found something was not finished, and nobody expects it to be."""
    if run.failure is None:
        return evidence
    found = violation_of(run.failure, TARGETS[run.failure.target], f"{where}, seed {run.seed}", settings)
    return replace(evidence, counts=tuple(replace(count, floor=0) for count in evidence.counts), violations=(found,))


def _canary(fault: Fault, run: MachineRun | Run) -> Canary:
    return Canary(f"the seeded fault {fault.name}", fault.property, run.failure.property if run.failure else None)
