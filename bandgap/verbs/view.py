"""`bandgap view`: a picture of the arena over time."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, harmless, out, print_json
from bandgap.traces.options import Traces

if TYPE_CHECKING:
    from bandgap.view.viewing import Viewed, Wanted
    from spec.judge.verdict import Finding


def run(
    traces: Traces,
    page: Annotated[Path, typer.Option("--out", metavar="FILE.html", help="Where the page is written.")] = Path(
        ".bandgap/view.html"
    ),
    lines: Annotated[
        str,
        typer.Option(metavar="FROM:TO", help="Draw these lines alone, and so in more detail; either may be left out."),
    ] = "",
    perfetto: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it for Perfetto (ui.perfetto.dev), as JSON, too.")
    ] = None,
    memory_viewer: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it for PyTorch's viewer (pytorch.org/memory_viz), as a pickle, too."),
    ] = None,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="The trace is still being written: no closing line is asked for.")
    ] = False,
    as_json: AsJson = False,
) -> Exit:
    """Draw the arena over time as a page that needs nothing else; an illegal trace up to its first illegal line."""
    from bandgap.traces.files import files_of
    from bandgap.view.page import write_page
    from bandgap.view.viewing import Wanted, viewed

    first, last = _window(lines)
    files = files_of(traces)
    _refuse_one_path_for_two(files, {"--out": page, "--perfetto": perfetto, "--memory-viewer": memory_viewer})
    wanted = Wanted(files, first, last, not unfinished, perfetto, memory_viewer)
    said = viewed(wanted)
    try:
        write_page(said, page)
    except OSError as error:
        raise UsageError("--out", str(page), f"cannot be written ({error.strerror})", "give another path") from error
    if as_json:
        print_json(_document(said, page, wanted))
    else:
        _show(said, page, wanted)
    if said.finding is not None:
        return Exit.VIOLATED
    return Exit.INCONCLUSIVE if said.interrupted or said.lost else Exit.HOLDS


def _refuse_one_path_for_two(traces: Sequence[str], written: dict[str, Path | None]) -> None:
    taken = {Path(trace).resolve(): "is the trace itself" for trace in traces}
    for option, path in written.items():
        if path is None:
            continue
        if path.resolve() in taken:
            raise UsageError(option, str(path), taken[path.resolve()], "give another path")
        taken[path.resolve()] = f"is what {option} writes"


def _window(lines: str) -> tuple[int, int | None]:
    if not lines:
        return 1, None
    parts = lines.replace(",", "").replace("_", "").split(":")
    if len(parts) != 2 or not all(part.isdecimal() or not part for part in parts):
        raise UsageError("--lines", lines, "is no part of a trace", "write FROM:TO, such as 1000:2000")
    first, last = int(parts[0] or 1), int(parts[1]) if parts[1] else None
    if first < 1 or (last is not None and last < first):
        raise UsageError("--lines", lines, "has no line in it", "lines count from 1, and TO is not before FROM")
    return first, last


def _document(said: "Viewed", page: Path, wanted: "Wanted") -> dict[str, Any]:
    from bandgap.view.page import outcome

    finding = said.finding
    return {
        "trace": said.trace,
        "files": [{"file": begun.file, "first_line": begun.first} for begun in said.files],
        "goes_on_in": said.goes_on,
        "outcome": outcome(said),
        "model": said.header.model,
        "lines": said.lines,
        "lost": said.lost,
        "page": str(page),
        "drawn": None if said.data is None else "pieces" if said.data["pieces"] else "grid",
        "lines_of_a_cell": said.lines_of_a_column,
        "bytes_of_a_cell": said.data["grid"]["row_bytes"] if said.data and said.data["grid"] else None,
        "samples": said.samples,
        "perfetto": wanted.perfetto and str(wanted.perfetto),
        "memory_viewer": wanted.memory_viewer and str(wanted.memory_viewer),
        "memory_viewer_left_out": said.left_out,
        "finding": finding and _finding(said, finding),
    }


def _finding(said: "Viewed", finding: "Finding") -> dict[str, Any]:
    from bandgap.traces.records import at

    begun, line = at(said.files, finding.line)
    return {
        "line": finding.line,
        "file": begun.file,
        "line_in_file": line,
        "check": finding.check,
        "problem": finding.problem,
    }


def _show(said: "Viewed", page: Path, wanted: "Wanted") -> None:
    from bandgap.view.page import outcome, size

    how = outcome(said)
    style = {"legal": "green", "interrupted": "yellow", "inconclusive": "yellow"}.get(how, "bold red")
    console = out()

    def put(text: str) -> None:
        console.print(text, soft_wrap=True)

    at = f" at {harmless(said.place(said.finding.line))}: {harmless(said.finding.check)}" if said.finding else ""
    put(f"{harmless(said.trace)}: [{style}]{how}[/]{at}, {said.lines:,} lines read")
    if said.finding is not None:
        put(harmless(said.finding.problem))
        drawn = "what comes before it is drawn" if said.data else "nothing legal comes before it, so nothing is drawn"
        put(f"{drawn}; bandgap judge says how it came to that")
    if said.goes_on is not None:
        put(f"it goes on in {harmless(said.goes_on)}, which was not given")
    if said.data and said.data["grid"]:
        cell = f"{said.lines_of_a_column:,} lines and {size(said.data['grid']['row_bytes'])}"
        put(f"too much to draw each page: a cell adds up {cell}; --lines FROM:TO draws a part in detail")
    if said.left_out:
        put(f"the memory viewer's history has the last entries only: {said.left_out:,} are left out")
    for name, path in (("page", page), ("perfetto", wanted.perfetto), ("viewer", wanted.memory_viewer)):
        if path is not None:
            console.print(f"{name:<8} {path}", markup=False, soft_wrap=True)
