"""The gate's result as people read it in a terminal."""

from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from bandgap.gate.lane import GateResult, LaneResult
from bandgap.gate.verdict import Answer
from bandgap.gate.violation import Violation

COLOURS = {Answer.HOLDS: "green", Answer.VIOLATED: "red", Answer.BROKEN: "magenta", Answer.INCONCLUSIVE: "yellow"}
SHOWN = 3
"""Violations that are shown whole; the report has all of them."""


def rendered(result: GateResult, files: dict[str, Path]) -> Iterator[RenderableType]:
    """The lanes, what is wrong, and the verdict last, where the eye is."""
    yield _lanes(result)
    for lane in result.lanes:
        yield from _wrong(lane)
    violations = [violation for lane in result.lanes for violation in lane.evidence.violations]
    for violation in violations[:SHOWN]:
        yield from _violation(violation)
    if len(violations) > SHOWN:
        yield f"\n{len(violations) - SHOWN} more are in the report."
    yield ""
    yield f"{', '.join(f'{name} {escape(str(path))}' for name, path in files.items())}"
    yield _verdict(result)


def _lanes(result: GateResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("lane", no_wrap=True)
    table.add_column("checked")
    table.add_column("canaries")
    table.add_column("seconds", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for lane in result.lanes:
        counts = ", ".join(f"{count.number:,} {count.what}" for count in lane.evidence.counts)
        checked = f"{escape(lane.claim)}\n[dim]{escape(counts)}[/]"
        table.add_row(lane.name, checked, _canaries(lane), f"{lane.seconds:,.1f}", _coloured(lane.answer))
    return table


def _canaries(lane: LaneResult) -> str:
    count = len(lane.evidence.canaries)
    return f"{lane.canaries_caught} of {count}" if count else "none"


def _wrong(lane: LaneResult) -> Iterator[RenderableType]:
    for reason in lane.reasons:
        if reason.answer is not Answer.VIOLATED:
            yield f"{_coloured(reason.answer)} {escape(lane.name)}: {escape(reason.text)}"


def _violation(violation: Violation) -> Iterator[RenderableType]:
    yield ""
    yield f"[bold red]{escape(violation.check)}[/]  {escape(violation.prose)}"
    yield f"{escape(violation.where)}: {escape(violation.problem)}"
    if violation.code:
        yield Padding(Syntax(violation.code, "python", background_color="default", word_wrap=True), (0, 0, 0, 2))
    if violation.command:
        yield Group(Text("again: ", end=""), Text(violation.command, style="bold", overflow="fold"))


def _verdict(result: GateResult) -> str:
    how = "quick, " if result.settings.quick else ""
    stopped = ", interrupted before it was finished" if result.stopped else ""
    run = f"{result.settings.target}, {how}seed {result.settings.seed}, {result.seconds:.0f} s{stopped}"
    return f"[bold]{_coloured(result.answer)}[/]  {escape(run)}"


def _coloured(answer: Answer) -> str:
    return f"[{COLOURS[answer]}]{answer.value}[/]"
