"""Judges a trace from wherever it comes, for as long as nobody interrupts."""

from time import perf_counter

from bandgap.judge_picture import picture_of
from bandgap.judge_progress import watched_lines
from bandgap.judge_report import Judged
from bandgap.trace_input import trace_input
from spec.judge.judge import Judge, judge_trace


def judged(trace: str, whole: bool) -> Judged:
    """What is said of a trace; when interrupted, of the part that was read.

    Raises:
        UsageError: there is no such file, or it cannot be read.
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
    picture = None if verdict.finding is None else picture_of(judge, verdict.finding)
    return Judged(source.name, judge.header, verdict, judge.misuses, seconds, interrupted, picture)
