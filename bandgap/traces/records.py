"""The records of a trace in one file or in several, as one row; each file must go on where the one before it ended."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bandgap.errors import UsageError
from bandgap.traces.files import same_name
from bandgap.traces.input import trace_input
from bandgap.traces.progress import watched_lines
from events.records import AnyRecord, Close, Continued
from events.trace import TraceError, unseal


@dataclass(frozen=True)
class Begun:
    """A file, and the line of the whole trace with which it begins, from 1."""

    file: str
    first: int


@dataclass
class Reading:
    """Reads the files of a trace, one after the other.

    Attributes:
        files: in the order in which they were written; `-` is stdin.
        whole: whether the last one must have a closing line; those before it must anyway.
        begun: those that were begun.
        goes_on: the file in which the last one says that the trace goes on; none where it does not.
    """

    files: Sequence[str]
    whole: bool = True
    begun: list[Begun] = field(default_factory=list)
    goes_on: str | None = None

    def records(self) -> Generator[AnyRecord]:
        """All of them, in a row. Whoever does not read them to the end must close this.

        Raises:
            TraceError: at a line that is no whole line of this trace, numbered through all files.
            UsageError: a file is not there or cannot be read, or is not the one that follows.
        """
        lines, last = 0, None
        for number, file in enumerate(self.files, 1):
            if last is not None:
                self._must_follow(file, last)
            with trace_input(file) as source, watched_lines(source) as read:
                before = lines
                self.begun.append(Begun(source.name, lines + 1))
                try:
                    for last in unseal(read, self.whole or number < len(self.files)):
                        lines += 1
                        yield last
                except TraceError as error:
                    raise TraceError(before + error.line, error.problem) from None
        self.goes_on = last.file if isinstance(last, Continued) else None

    def _must_follow(self, file: str, last: AnyRecord) -> None:
        before = self.begun[-1].file
        if isinstance(last, Close):
            problem, remedy = f"does not follow {before}, with which its trace ends", "give the files of one trace"
            raise UsageError("TRACE", file, problem, remedy)
        if isinstance(last, Continued) and not same_name(Path(file).name, last.file):
            problem = f"does not follow {before}, which says that the trace goes on in {last.file!a}"
            raise UsageError("TRACE", file, problem, "give that one, or the files before it alone")


def at(files: Sequence[Begun], line: int) -> tuple[Begun, int]:
    """The file with a line of the whole trace, and its number there."""
    begun = next((each for each in reversed(files) if each.first <= line), files[0])
    return begun, line - begun.first + 1
