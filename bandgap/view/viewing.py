"""Reads a trace once and draws it: up to its end, its first line that is not legal, or an interrupt."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from bandgap.errors import UsageError
from bandgap.traces.files import in_short
from bandgap.traces.judging import refuse_what_is_no_trace
from bandgap.traces.records import Begun, Reading, at
from bandgap.view.grid import Grid
from bandgap.view.memory_viewer import MemoryViewer
from bandgap.view.packing import packed, samples
from bandgap.view.perfetto import Perfetto
from bandgap.view.pieces import Pieces
from bandgap.view.watching import Sink, Watcher
from events.records import Header
from events.trace import TraceError
from spec.judge.verdict import Finding


@dataclass(frozen=True)
class Wanted:
    """What is to be seen of a trace, which are its files in order, and where it is to be written besides."""

    traces: Sequence[str]
    first: int = 1
    last: int | None = None
    whole: bool = True
    perfetto: Path | None = None
    memory_viewer: Path | None = None


@dataclass(frozen=True)
class Viewed:
    """A trace as it is drawn; lines are counted through all its files."""

    trace: str
    files: Sequence[Begun]
    """The files that were read."""
    goes_on: str | None
    """The file in which it goes on, which was not given."""
    header: Header
    lines: int
    """Lines that were read and are legal."""
    finding: Finding | None
    interrupted: bool
    lost: int
    """Records that nobody wrote."""
    data: dict[str, Any] | None
    """What the page draws; none where not even the beginning is legal."""
    samples: list[dict[str, Any]]
    lines_of_a_column: int | None
    """How many lines a column stands for, where the page draws a grid."""
    left_out: int
    """Entries of the memory viewer's history that are not kept."""

    def place(self, line: int) -> str:
        """A line in words: of which file it is, where there are several."""
        file, number = at(self.files, line)
        return f"line {line:,}" + (f" (line {number:,} of {file.file})" if len(self.files) > 1 else "")


def viewed(wanted: Wanted) -> Viewed:
    """The trace, drawn; the other viewers' files are written.

    Raises:
        UsageError: there is no such file, it is no trace, or a file cannot be written.
    """
    grid, pieces, viewer = Grid(), Pieces(), MemoryViewer()
    sinks: list[Sink] = [grid, pieces]
    with _written("--perfetto", wanted.perfetto) as file:
        perfetto = Perfetto(file) if file is not None else None
        sinks += [sink for sink in (perfetto, viewer if wanted.memory_viewer else None) if sink is not None]
        watcher = Watcher(sinks, wanted.first)
        reading = Reading(wanted.traces, wanted.whole and wanted.last is None)
        finding, interrupted = _watched(wanted, reading, watcher)
        if perfetto is not None:
            for begun in reading.begun[1:]:
                if begun.first >= wanted.first:
                    perfetto.begins(begun.first, begun.file)
            if finding is not None:
                perfetto.problem(finding.line, finding.check, finding.problem)
            perfetto.finish()
    with _written("--memory-viewer", wanted.memory_viewer) as file:
        if file is not None:
            viewer.write(file)
    judge = watcher.judge
    assert judge.header is not None  # else it is no trace, or a finding
    lines = watcher.legal if finding is None else finding.line - 1
    if not watcher.told and finding is None and wanted.first > 1:
        raise UsageError("--lines", wanted.first, f"the trace has {lines:,} lines", "begin with an earlier one")
    data = packed(grid, pieces, reading.begun) if watcher.told else None
    return Viewed(
        in_short([each.file for each in reading.begun]),
        reading.begun,
        reading.goes_on,
        judge.header,
        lines,
        finding,
        interrupted,
        judge.lost,
        data,
        samples(grid) if data else [],
        grid.width if data and data["grid"] else None,
        viewer.left_out,
    )


def _watched(wanted: Wanted, reading: Reading, watcher: Watcher) -> tuple[Finding | None, bool]:
    finding, interrupted = None, False
    with closing(reading.records()) as records:
        try:
            for record in islice(records, wanted.last):
                finding = watcher.take(record)
                if finding is not None:
                    break
        except TraceError as error:
            finding = Finding(error.line, "trace", "trace", error.problem)
        except KeyboardInterrupt:
            interrupted = True
    judge = watcher.judge
    if finding is None and judge.header is None:
        finding = Finding(judge.lines + 1, "trace", "trace", "there is no header in it")
    if finding is not None:
        refuse_what_is_no_trace(reading.begun[-1].file, judge, finding)
    watcher.close(None if finding is None else finding.line)
    return finding, interrupted


@contextmanager
def _written(option: str, path: Path | None) -> Iterator[BinaryIO | None]:
    """A file to write to, which takes the place of what was there once it is whole."""
    if path is None:
        yield None
        return
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise UsageError(option, str(path), problem, "give another path") from error
    finally:
        part.unlink(missing_ok=True)
