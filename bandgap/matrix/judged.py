"""Faults of the judge, which traces that were touched must show."""

from collections.abc import Iterator, Sequence

from bandgap.matrix.code import row, seeded
from bandgap.matrix.row import Baseline, Row, Seeded, Settings, Source
from fuzz.faults.judge import JUDGE_FAULTS
from fuzz.faults.touched import touched_traces, try_judge_fault


def _faults() -> Sequence[Seeded]:
    return [seeded(fault) for fault in JUDGE_FAULTS.values()]


def _tried(names: Sequence[str], _settings: Settings) -> Iterator[Baseline | Row]:
    try:
        traces = touched_traces()
    except AssertionError as error:
        yield Baseline("the judge", "", 0, "trace", str(error))
        return
    rejected = sum(trace.check is not None for trace in traces)
    yield Baseline("the judge", f"legal traces, and rejected {rejected:,} of {len(traces):,} that were touched")
    for name in names:
        yield row(try_judge_fault(JUDGE_FAULTS[name]))


JUDGED = Source(_faults, _tried)
