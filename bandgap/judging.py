"""Judges a trace from wherever it comes, for as long as nobody interrupts."""

from itertools import islice
from pathlib import Path
from time import perf_counter

from bandgap.errors import UsageError
from bandgap.history import History, history_of
from bandgap.judge_picture import picture_of
from bandgap.judge_progress import watched_lines
from bandgap.judge_report import Judged
from bandgap.trace_input import trace_input
from events.trace import TraceError, unseal
from spec.judge.judge import Judge, judge_trace
from spec.judge.verdict import Finding

_CODE = """\
from itertools import islice

from bandgap.trace_input import trace_input
from events.trace import unseal
from spec.judge.judge import Judge

judge = Judge()
with trace_input({trace!r}) as source:
    for record in islice(unseal(source.lines(), whole=False), {lines}):
        finding = judge.take(record)
        assert finding is None, finding
"""


def judged(trace: str, whole: bool) -> Judged:
    """What is said of a trace; when interrupted, of the part that was read.

    Raises:
        UsageError: there is no such file, it cannot be read, or it is no trace.
    """
    judge = Judge()
    interrupted = False
    begun = perf_counter()
    with trace_input(trace) as source, watched_lines(source) as lines:
        try:
            verdict = judge_trace(lines, whole, judge)
        except KeyboardInterrupt:
            interrupted, verdict = True, judge.verdict(None)
    seconds = perf_counter() - begun
    finding = verdict.finding
    if finding is not None:
        refuse_what_is_no_trace(source.name, judge, finding)
    picture = None if finding is None else picture_of(judge, finding)
    history, code = None, ""
    if finding is not None and finding.blame != "trace" and source.size is not None:
        # what a line came from is asked for only once it is known to be wrong, and then read a second time
        history = looked_back(trace, finding)
        code = _CODE.format(trace=trace, lines=max(judge.lines, finding.line))
    return Judged(source.name, judge.header, verdict, judge.misuses, seconds, interrupted, picture, history, code)


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
