"""Tries faults: the unmodified code first, then each fault by itself."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from fuzz.failure import Failure
from fuzz.faults.fault import Fault
from fuzz.faults.lengths import LENGTHS
from fuzz.seeded import Run, run_seeded
from fuzz.setups import TOYS, Setup, setup_of
from fuzz.targets.all import TARGETS
from fuzz.targets.own import OWN
from fuzz.violation import SYMPTOMS

Verdict = Literal["caught", "caught by another property", "survived", "invalid"]

SEED: Final = 7
BASELINE_CALLS: Final = 20_000
"""Judged calls that the unmodified code must pass before any fault is tried."""
BASELINE_CALLS_ELSEWHERE: Final = 2_000
"""Likewise on each other target on which a fault is hunted."""

CALLS: Final = 60_000
"""Judged calls after which a fault has survived."""

LIVES: Final = (40, 80)
"""Operations in the life of an allocator: short ones, since it takes time to make a long one shorter."""

HUNTS: Final = (2, 40)
"""A fault may break several properties, and the one that the shortest script breaks is the one that caught it; of
equally short ones, the one that the fault names. Which script is found depends on the operations: a fault is hunted at
least and at most so often, each time with others, until it is the one that it names, and as short as `LENGTHS` has it.
Every second hunt ends where the allocator's tables are wrong, whether or not a caller would see it later."""
HUNTS_ELSEWHERE: Final = (1, 40)
"""Likewise on another target than our own: a race is a race, and its length matters less."""

REDUCING: Final = 60.0
"""Seconds at most for making a failure shorter."""


@dataclass(frozen=True)
class Trial:
    """What became of one fault.

    Attributes:
        fault: which was in force.
        verdict: `invalid` where the fault could not be put into force, or only broke the code that it replaced.
        caught_by: the property that broke; None if none did.
        calls: judged calls until something broke for the first time.
        seconds: until then, the time for making the failure shorter left out.
        shrunk: calls of the failure in the end; None if there is none.
        failure: with the calls that show it.
        problem: why it is invalid.
    """

    fault: Fault
    verdict: Verdict
    caught_by: str | None = None
    calls: int = 0
    seconds: float = 0.0
    shrunk: int | None = None
    failure: Failure | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Matrix:
    """The unmodified code's run, on each target that is needed, and a trial for each fault; none if that run fails."""

    baseline: Run
    trials: tuple[Trial, ...]

    @property
    def holds(self) -> bool:
        """The unmodified code passes, and every fault is caught by the property that it names."""
        return self.baseline.failure is None and all(trial.verdict == "caught" for trial in self.trials)


def trial_setups() -> tuple[Setup, ...]:
    """The setups on which faults are tried: the small ones, which are fast."""
    return tuple(setup_of(name) for name in TOYS)


def try_all(
    faults: Iterable[Fault],
    *,
    seed: int = SEED,
    calls: int = CALLS,
    seconds: float | None = None,
    setups: Sequence[Setup] = (),
    hunts: tuple[int, int] | None = None,
    reducing_elsewhere: float = REDUCING,
    progress: Callable[[Trial], None] = lambda _: None,
) -> Matrix:
    """Run the unmodified code, then try each fault by itself.

    Args:
        faults: to be tried.
        seed: of all choices.
        calls: after which a fault has survived.
        seconds: likewise, if given; a fault that is found late may then survive on a slow machine.
        setups: on which; the small ones if left out.
        hunts: how often a fault is hunted at least and at most; `HUNTS` and `HUNTS_ELSEWHERE` if left out.
        reducing_elsewhere: seconds for making a failure shorter on another target than our own.
        progress: told after each trial.
    """
    setups = setups or trial_setups()
    faults = list(faults)
    passed = baseline(sorted({fault.target for fault in faults} - {OWN.name}), setups, seed)
    trials: list[Trial] = []
    if passed.failure is None:
        for fault in faults:
            reducing = REDUCING if fault.target == OWN.name else reducing_elsewhere
            trials.append(
                try_one(fault, setups, seed=seed, calls=calls, seconds=seconds, hunts=hunts, reducing=reducing)
            )
            progress(trials[-1])
    return Matrix(passed, tuple(trials))


def baseline(elsewhere: Iterable[str], setups: Sequence[Setup], seed: int) -> Run:
    """The unmodified code on our own target and on these, by name; or its first run that fails."""
    whole = run_seeded(setups, seed, calls=BASELINE_CALLS)
    for name in elsewhere:
        if whole.failure is not None:
            break
        run = run_seeded(setups, seed, target=TARGETS[name], calls=BASELINE_CALLS_ELSEWHERE)
        whole = replace(whole, calls=whole.calls + run.calls, failure=run.failure)
    return whole


def try_one(
    fault: Fault,
    setups: Sequence[Setup],
    *,
    seed: int = SEED,
    calls: int = CALLS,
    seconds: float | None = None,
    hunts: tuple[int, int] | None = None,
    reducing: float = REDUCING,
) -> Trial:
    """Put a fault into force and drive the allocator until something breaks; see `try_all`."""
    hunts = hunts or (HUNTS if fault.target == OWN.name else HUNTS_ELSEWHERE)
    try:
        force = fault.apply()
        force.__enter__()
    except Exception as error:
        return Trial(fault, "invalid", problem=f"it cannot be put into force: {type(error).__name__}: {error}")
    try:
        return _hunted(fault, setups, seed, calls, seconds, hunts, reducing)
    finally:
        force.__exit__(None, None, None)


def _hunted(
    fault: Fault,
    setups: Sequence[Setup],
    seed: int,
    calls: int,
    seconds: float | None,
    hunts: tuple[int, int],
    reducing: float,
) -> Trial:
    """Hunt a fault that is in force."""
    least, most = hunts
    best = first = None
    for hunt in range(most):
        run = run_seeded(
            setups,
            seed + hunt,
            target=TARGETS[fault.target],
            calls=calls,
            seconds=seconds,
            fault=fault.name,
            reduce_seconds=reducing,
            lives=LIVES,
            follow=hunt % 2 == 0,
        )
        found = run.failure
        if first is None or (first.failure is None and found is not None):
            first = run
        if found is not None:
            best = min(best, found, key=partial(_awkwardness, fault)) if best is not None else found
        settled = best is None or best.property == "crash" or _is_as_known(fault, best)
        if hunt + 1 >= least and settled:
            break
    assert first is not None
    if best is None:
        return Trial(fault, "survived", None, first.calls, first.searching)
    if best.property == "crash":
        return Trial(fault, "invalid", "crash", first.calls, first.searching, None, best, best.problem)
    verdict: Verdict = "caught" if best.property == fault.property else "caught by another property"
    return Trial(fault, verdict, best.property, first.calls, first.searching, len(best.script), best)


def _is_as_known(fault: Fault, failure: Failure) -> bool:
    """It breaks what it should, in no more calls than were enough before."""
    return failure.property == fault.property and len(failure.script) <= LENGTHS.get(fault.name, len(failure.script))


def _awkwardness(fault: Fault, failure: Failure) -> tuple[bool, int, bool]:
    return failure.property in SYMPTOMS, len(failure.script), failure.property != fault.property
