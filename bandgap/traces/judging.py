"""Judges a trace from wherever it comes, for as long as nobody interrupts."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import perf_counter

from bandgap.errors import UsageError
from bandgap.history import History, history_of
from bandgap.traces.files import STDIN, files_of, in_short
from bandgap.traces.input import trace_input
from bandgap.traces.picture import picture_of
from bandgap.traces.progress import watched_lines
from bandgap.traces.records import Reading, at
from bandgap.traces.report import Judged
from events.records import AnyRecord
from events.trace import TraceError, unseal
from spec.judge.judge import Judge, judge_records
from spec.judge.verdict import Finding, Verdict

_CODE = """\
from itertools import islice

from bandgap.traces.input import trace_input
from events.trace import unseal
from spec.judge.judge import Judge

judge = Judge()
with trace_input({trace!r}) as source:
    for record in islice(unseal(source.lines(), whole=False), {lines}):
        finding = judge.take(record)
        assert finding is None, finding
"""


def judged(traces: Sequence[str], whole: bool) -> Judged:
    """What is said of a trace in one file or several; when interrupted, of the part that was read.

    Raises:
        UsageError: there is no such file, it cannot be read, it is no trace, or it does not follow the one before it.
    """
    judge, reading = Judge(), Reading(files_of(traces), whole)
    interrupted = False
    begun = perf_counter()
    with closing(reading.records()) as records:
        try:
            verdict = _verdict(records, judge)
        except KeyboardInterrupt:
            interrupted, verdict = True, judge.verdict(None)
    seconds = perf_counter() - begun
    name, finding = in_short([each.file for each in reading.begun]), verdict.finding
    picture, history, code = None, None, ""
    if finding is not None:
        file, line = at(reading.begun, finding.line)
        # files are numbered from 1, each by itself, and each can be told from alone, since it begins with a snapshot
        name, finding = file.file, replace(finding, line=line)
        verdict = replace(verdict, finding=finding)
        refuse_what_is_no_trace(name, judge, finding)
        picture = picture_of(judge, finding)
        if finding.blame != "trace" and reading.files != (STDIN,) and Path(name).is_file():
            # what a line came from is asked for only once it is known to be wrong, and then read a second time
            history = looked_back(name, finding)
            code = _CODE.format(trace=name, lines=max(judge.lines - file.first + 1, line))
    return Judged(
        name,
        judge.header,
        verdict,
        judge.misuses,
        seconds,
        interrupted,
        picture,
        history,
        code,
        goes_on=reading.goes_on,
    )


def _verdict(records: Iterable[AnyRecord], judge: Judge) -> Verdict:
    try:
        verdict = judge_records(records, judge)
    except TraceError as error:
        return judge.verdict(Finding(error.line, "trace", "trace", error.problem))
    if verdict.finding is None and judge.state is None and not judge.lost:
        return judge.verdict(Finding(judge.lines + 1, "trace", "trace", "there is no state in this trace yet"))
    return verdict


def refuse_what_is_no_trace(name: str, judge: Judge, finding: Finding) -> None:
    """A file without a header that can be read is no damaged trace: whoever gave it meant another.

    Raises:
        UsageError: it is such a file.
    """
    if judge.header is None and finding.blame == "trace":
        problem = f"is no trace that can be judged: line {finding.line}: {finding.problem}"
        raise UsageError("TRACE", name, problem, "give a file that a recorder wrote, from its first line on")


def looked_back(trace: str, finding: Finding) -> History | None:
    """How a trace came to a finding, by reading it again; none if it cannot be read twice."""
    if not Path(trace).is_file():
        return None
    try:
        with trace_input(trace) as source, watched_lines(source) as lines:
            records = islice(unseal(lines, whole=False), finding.line)
            return history_of(records, finding, finding.check, finding.problem)
    except (KeyboardInterrupt, TraceError):  # the file may have changed
        return None
