"""All sources together, and what is chosen of them."""

import difflib
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from bandgap.matrix import peers
from bandgap.matrix.code import CODE
from bandgap.matrix.judged import JUDGED
from bandgap.matrix.kernels import KERNELS
from bandgap.matrix.proved import PROVED
from bandgap.matrix.row import Baseline, Matrix, Row, Seeded, Settings, Source
from bandgap.matrix.serving import SERVING


@cache
def _by_source() -> tuple[tuple[Source, tuple[Seeded, ...]], ...]:
    return tuple(
        (source, tuple(source.faults())) for source in (PROVED, CODE, KERNELS, JUDGED, SERVING, *peers.sources())
    )


def all_faults() -> tuple[Seeded, ...]:
    """Every seeded fault of the project."""
    return tuple(fault for _, faults in _by_source() for fault in faults)


def levels() -> tuple[str, ...]:
    """What they are faults of."""
    return tuple(dict.fromkeys(fault.level for fault in all_faults()))


def near(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names like one that there is not."""
    ordered = sorted(known)
    within = [other for other in ordered if name and name.lower() in other]
    return list(dict.fromkeys([*within, *difflib.get_close_matches(name, ordered, n=3, cutoff=0.5)]))[:3]


def tried(
    faults: Sequence[Seeded], settings: Settings, told: Callable[[Baseline | Row], None] = lambda _: None
) -> Matrix:
    """Try these, source by source; of each the unmodified code comes first, and unless it passes no fault is tried."""
    chosen = {fault.name for fault in faults}
    baselines: list[Baseline] = []
    rows: list[Row] = []
    for source, of_source in _by_source():
        names = [fault.name for fault in of_source if fault.name in chosen]
        for came in source.tried(names, settings) if names else ():
            told(came)
            if isinstance(came, Row):
                rows.append(came)
            else:
                baselines.append(came)
    return Matrix(tuple(baselines), tuple(rows))
