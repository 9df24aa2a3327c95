"""Faults of kernels, which their checks must find; a process that interprets and watches them tries these."""

from collections.abc import Iterator, Sequence

from bandgap.matrix.code import row, seeded
from bandgap.matrix.row import Baseline, Row, Seeded, Settings, Source
from fuzz.kernels.faults import KERNEL_FAULTS
from fuzz.kernels.trial import Unmodified, try_kernels


def _faults() -> Sequence[Seeded]:
    return [seeded(fault) for fault in KERNEL_FAULTS.values()]


def _tried(names: Sequence[str], _settings: Settings) -> Iterator[Baseline | Row]:
    for came in try_kernels(names):
        if isinstance(came, Unmodified):
            yield Baseline("the kernels", f"{came.launches:,} launches", 0, came.property, came.problem)
        else:
            yield row(came)


KERNELS = Source(_faults, _tried)
