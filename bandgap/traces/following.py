"""A trace that is still being written, line by line as they come, from one file to the next."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final

from bandgap.errors import UsageError
from bandgap.traces.input import GZIP
from bandgap.traces.judging import looked_back, refuse_what_is_no_trace
from bandgap.traces.picture import picture_of
from bandgap.traces.report import Judged
from events.records import AnyRecord, Continued
from events.trace import LONGEST_LINE, TraceError, unseal
from spec.judge.judge import Judge
from spec.judge.verdict import Finding

EVERY: Final = 0.2
"""Seconds between two looks at a file that has not grown."""


def followed(trace: str) -> Judged:
    """What is said of a trace while it is written, from its first file on, until its end, a finding or an interrupt.

    Whoever interrupts it while it waits has judged all that there was.

    Raises:
        UsageError: there is no such file, it cannot be read as it grows, or it is no trace.
    """
    following, judge = Following(Path(trace)), Judge()
    finding, interrupted, growing = None, False, False
    begun = time.perf_counter()
    try:
        for record in following.records():
            finding = judge.take(record)
            if finding is not None:
                # files are numbered from 1, each by itself
                finding = replace(finding, line=finding.line - following.before)
                break
    except TraceError as error:
        finding = Finding(error.line, "trace", "trace", error.problem)
    except KeyboardInterrupt:
        interrupted, growing = not following.waiting, following.waiting
    seconds = time.perf_counter() - begun
    where = str(following.file)
    if finding is not None:
        refuse_what_is_no_trace(where, judge, finding)
    picture = None if finding is None else picture_of(judge, finding)
    # each file begins with a snapshot, so that it can be told from it alone
    history = looked_back(where, finding) if finding is not None and finding.blame != "trace" else None
    verdict = judge.verdict(finding)
    return Judged(where, judge.header, verdict, judge.misuses, seconds, interrupted, picture, history, growing=growing)


@dataclass
class Following:
    """The records of a trace from its first file on; waits for those that are not written yet.

    Attributes:
        file: that is read now.
        before: lines of the files before it.
        waiting: whether everything that is written so far was read.
        wait: what is done while there is nothing to read.
    """

    file: Path
    before: int = 0
    waiting: bool = False
    wait: Callable[[], None] = field(default=lambda: time.sleep(EVERY))

    def records(self) -> Iterator[AnyRecord]:
        """All of them; ends after the closing line.

        Raises:
            TraceError: at a line that is no whole line of this trace.
            UsageError: a file is not there, or cannot be read as it grows.
        """
        following: str | None = self.file.name
        while following is not None:
            self.file = self.file.with_name(following)
            following, lines = None, 0
            with _opened(self.file) as file:
                for record in unseal(self._lines(file), whole=False):
                    lines += 1
                    yield record
                    if isinstance(record, Continued):
                        following = _beside(record.file, lines)
            self.before += lines if following is not None else 0

    def _lines(self, file: BinaryIO) -> Iterator[bytes]:
        """Whole lines; ends at a closing line, which nothing may come after."""
        begun = b""
        while True:
            begun += file.readline(LONGEST_LINE + 1 - len(begun))
            if begun.endswith(b"\n") or len(begun) > LONGEST_LINE:
                self.waiting = False
                yield begun
                if _closes(begun) and not file.peek(1):  # type: ignore[attr-defined]  # it is a buffered file
                    return
                begun = b""
            else:
                self.waiting = True
                self.wait()


def _closes(line: bytes) -> bool:
    _, _, said = line.partition(b",")
    return said.startswith((b'"close",', b'"continued",'))


def _opened(path: Path) -> BinaryIO:
    try:
        file = path.open("rb")
        begins = file.peek(2)[:2]
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise UsageError("TRACE", str(path), problem, "name the first file of a trace") from None
    if begins == GZIP:
        file.close()
        raise UsageError("--follow", str(path), "is compressed, and grows by blocks", "judge it once it is whole")
    return file


def _beside(name: str, line: int) -> str:
    """The next file must lie beside this one, whatever a trace says."""
    if name != Path(name).name or name in {"", ".", ".."}:
        raise TraceError(line, f"the trace goes on in {name!a}, which is no name of a file beside it")
    return name
