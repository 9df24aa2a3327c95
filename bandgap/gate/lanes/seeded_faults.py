"""Seeded faults: the unmodified allocator passes, and with each fault the property that it names breaks first.

A fault may break several properties, and which one breaks first depends on the calls. They are therefore always the
same calls, whatever the gate's seed is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from bandgap.gate.evidence import Canary, Count, Evidence
from bandgap.gate.failures import violation_of
from bandgap.gate.lane import Lane
from bandgap.gate.prose import prose_of
from bandgap.gate.settings import Settings
from bandgap.gate.task import Progress, Task
from bandgap.gate.violation import Violation
from fuzz.faults.all import FAULTS
from fuzz.faults.fault import Fault
from fuzz.faults.judge import JUDGE_FAULTS
from fuzz.faults.lengths import grown
from fuzz.faults.touched import touched_traces, try_judge_fault
from fuzz.faults.trial import BASELINE_CALLS, REDUCING, SEED, Trial, trial_setups, try_all, try_one
from fuzz.kernels.faults import KERNEL_FAULTS
from fuzz.kernels.trial import try_kernels
from fuzz.targets.all import TARGETS

PARTS = 2
"""Tasks among which the faults are divided; in each the unmodified allocator comes first."""

CANARY_CALLS = 2_000

QUICK_HUNTS = (1, 20)
"""A quick gate does not look for a shorter script once a fault is caught by the property that it names."""

QUICK_REDUCING = 1.0
"""Seconds in which a quick gate makes a race shorter."""

LEAST_FAULTS = 130
LEAST_IN_THE_RECORDER = 2
LEAST_IN_A_KERNEL = 30
LEAST_IN_THE_JUDGE = 10

LEAST_REJECTED = 1_500
"""Touched traces that the unmodified judge rejects."""

NO_FAULT = Fault("no-fault", "Nothing is wrong.", "allocator", "no-overlap", "", nullcontext)
"""Must be reported as survived: else whatever reports faults as caught would do so anyway."""


def try_part(names: tuple[str, ...], settings: Settings, progress: Progress) -> Evidence:
    """Run the unmodified allocator, then try each of these faults."""
    faults = [FAULTS[name] for name in names]
    told: list[Trial] = []

    def tell(trial: Trial) -> None:
        told.append(trial)
        progress(len(told) / len(faults), Evidence((_caught(told),)))

    matrix = try_all(
        faults,
        seed=SEED,
        hunts=QUICK_HUNTS if settings.quick else None,
        reducing_elsewhere=QUICK_REDUCING if settings.quick else REDUCING,
        progress=tell,
    )
    unmodified = Count("calls to the unmodified allocator", matrix.baseline.calls, BASELINE_CALLS)
    if matrix.baseline.failure is not None:
        failure = matrix.baseline.failure
        where = "the unmodified allocator, before any fault"
        found = violation_of(failure, TARGETS[failure.target], where, settings)
        return Evidence((Count(unmodified.what, unmodified.number, 0),), violations=(found,))
    evidence = _evidence(unmodified, matrix.trials, len(names))
    # a quick gate does not look for the shortest script
    return evidence if settings.quick else replace(evidence, broken=(*evidence.broken, *grown(matrix.trials)))


def try_kernel_faults(_settings: Settings, progress: Progress) -> Evidence:
    """Run the unmodified kernels in the interpreter, then each of their faults."""
    launches = Count("launches of unmodified kernels", 0, len(KERNEL_FAULTS))
    trials: list[Trial] = []
    for came in try_kernels(tuple(KERNEL_FAULTS)):
        if isinstance(came, Trial):
            trials.append(came)
            progress(len(trials) / len(KERNEL_FAULTS), Evidence((_caught(trials),)))
            continue
        launches = replace(launches, number=came.launches)
        if came.property is not None:
            problem = f"the unmodified kernels, before any fault: {came.problem}"
            return Evidence((replace(launches, floor=0),), broken=(problem,))
    return _evidence(launches, trials, len(KERNEL_FAULTS))


def try_judge_faults(_settings: Settings, progress: Progress) -> Evidence:
    """Let the unmodified judge say what it finds in touched traces, then each of its faults."""
    try:
        traces = touched_traces()
    except AssertionError as error:
        return Evidence(broken=(f"the unmodified judge, before any fault: {error}",))
    rejected = Count(
        "touched traces that the unmodified judge rejects",
        sum(trace.check is not None for trace in traces),
        LEAST_REJECTED,
    )
    trials: list[Trial] = []
    for fault in JUDGE_FAULTS.values():
        trials.append(try_judge_fault(fault))
        progress(len(trials) / len(JUDGE_FAULTS), Evidence((_caught(trials),)))
    return _evidence(rejected, trials, len(JUDGE_FAULTS))


def canary(_settings: Settings, _progress: Progress) -> Evidence:
    """Whether a fault that changes nothing is seen to survive."""
    trial = try_one(NO_FAULT, trial_setups(), calls=CANARY_CALLS)
    return Evidence(canaries=(Canary("a fault that changes nothing", "survived", trial.verdict),))


def tasks(_settings: Settings) -> Sequence[Task]:
    """A few parts of all faults of the allocator and its device, those of kernels and of the judge, and the canary."""
    parts = [tuple(FAULTS)[part::PARTS] for part in range(PARTS)]
    return (
        Task("faults", "canary", canary, seconds=30),
        Task("faults", "kernels", try_kernel_faults, seconds=300),
        Task("faults", "judge", try_judge_faults, seconds=120),
        *(
            Task("faults", f"part {part} of {PARTS}", partial(try_part, names), seconds=600)
            for part, names in enumerate(parts, 1)
        ),
    )


def floors(_settings: Settings) -> Mapping[str, int]:
    """There are faults to be caught, and some of them are in the recorder, in kernels and in the judge."""
    return {
        "faults caught": LEAST_FAULTS,
        "faults caught in the recorder": LEAST_IN_THE_RECORDER,
        "faults caught in the kernel": LEAST_IN_A_KERNEL,
        "faults caught in the judge": LEAST_IN_THE_JUDGE,
    }


SEEDED_FAULTS = Lane("faults", "Each seeded fault is caught, and by the property that it names.", tasks, floors)

_NOT_CAUGHT = {
    "survived": "nothing that is checked has noticed it",
    "caught by another property": "another property broke first",
}


def _evidence(unmodified: Count, trials: Sequence[Trial], faults: int) -> Evidence:
    return Evidence(
        (unmodified, Count("faults tried", len(trials), faults), _caught(trials)),
        coverage=_levels(trials),
        violations=tuple(_violation(trial) for trial in trials if trial.verdict in _NOT_CAUGHT),
        broken=tuple(f"{trial.fault.name}: {trial.problem}" for trial in trials if trial.verdict == "invalid"),
        notes=tuple(_line(trial) for trial in trials if trial.verdict == "caught"),
    )


def _caught(trials: Sequence[Trial]) -> Count:
    return Count("of them caught", sum(trial.verdict == "caught" for trial in trials), 0)


def _levels(trials: Sequence[Trial]) -> tuple[tuple[str, int], ...]:
    caught = [trial.fault.level for trial in trials if trial.verdict == "caught"]
    levels = Counter(f"faults caught in the {level}" for level in caught)
    return (("faults caught", len(caught)), *levels.items())


def _violation(trial: Trial) -> Violation:
    fault, by = trial.fault, f" ({trial.caught_by})" if trial.caught_by else ""
    return Violation(
        check=fault.property,
        prose=prose_of(fault.property),
        where=f"the seeded fault {fault.name}",
        problem=f"{_NOT_CAUGHT[trial.verdict]}{by}, in {trial.calls:,} calls: {fault.prose}",
        command=f"bandgap faults {fault.name}",
    )


def _line(trial: Trial) -> str:
    shrunk = f"{trial.shrunk} call{'' if trial.shrunk == 1 else 's'}"
    return f"{trial.fault.name}: caught by {trial.caught_by} in {trial.calls:,} calls, shrunk to {shrunk}"
