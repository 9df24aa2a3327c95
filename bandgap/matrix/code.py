"""Faults of code that runs: the allocator, its device, its recorder, its kernels; they are hunted by driving it."""

from collections.abc import Iterator, Sequence
from typing import Final

from bandgap.matrix.row import Baseline, Row, Seeded, Settings, Source
from fuzz.faults import trial
from fuzz.faults.all import FAULTS
from fuzz.faults.fault import Fault
from fuzz.targets.own import OWN

_LEVELS: Final = ("allocator", "device", "recorder")


def _faults() -> Sequence[Seeded]:
    return [seeded(fault) for fault in sorted(FAULTS.values(), key=lambda fault: _LEVELS.index(fault.level))]


def _tried(names: Sequence[str], settings: Settings) -> Iterator[Baseline | Row]:
    """The unmodified code first on each target that is needed, so that a fault there is not taken for a catch."""
    faults = [FAULTS[name] for name in names]
    setups = trial.trial_setups()
    elsewhere = sorted({fault.target for fault in faults} - {OWN.name})
    baseline = trial.baseline(elsewhere, setups, settings.seed)
    broken = baseline.failure
    yield Baseline(
        "the allocator",
        f"{baseline.calls:,} judged calls",
        baseline.calls,
        broken.property if broken else None,
        broken.problem if broken else None,
    )
    if broken is None:
        for fault in faults:
            yield row(trial.try_one(fault, setups, seed=settings.seed, calls=settings.calls))


def seeded(fault: Fault) -> Seeded:
    """The fault as the matrix shows it."""
    return Seeded(fault.name, fault.level, fault.precedent, fault.property, fault.prose)


def row(tried: trial.Trial) -> Row:
    """The row of a trial."""
    return Row(
        seeded(tried.fault),
        tried.verdict,
        tried.caught_by,
        tried.calls,
        round(tried.seconds, 3),
        tried.shrunk,
        tried.problem,
    )


CODE = Source(_faults, _tried)
