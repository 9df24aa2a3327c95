"""What the judge says of a trace, for people and for programs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from bandgap.history import History
from bandgap.history.telling import lines
from bandgap.output import harmless, printable
from bandgap.phrases import counted
from bandgap.pictures import legend, strips
from bandgap.record_words import in_words
from bandgap.traces.picture import Picture
from events.records import Header, Snapshot
from spec.judge.checks import prose_of_check
from spec.judge.verdict import Finding, Verdict
from spec.specification import ACTIONS

TO_BLAME = {
    "driver": "the driver, or whatever writes its calls",
    "allocator": "the allocator, or whatever writes its steps",
    "trace": "the file, which is not as it was written",
}


_STYLES = {"legal": "bold green", "interrupted": "bold yellow", "inconclusive": "bold yellow"}


@dataclass(frozen=True)
class Judged:
    """A trace and what was said of it."""

    trace: str
    header: Header | None
    verdict: Verdict
    misuses: int
    seconds: float
    interrupted: bool = False
    picture: Picture | None = None
    history: History | None = None
    code: str = ""
    """Python that judges the trace again, up to what is wrong."""
    growing: bool = False
    """All that is written so far was judged, and there may be more to come."""
    goes_on: str | None = None
    """The file in which the trace goes on, which was not given."""

    @property
    def finding(self) -> Finding | None:
        """The first thing that is wrong, if any."""
        return self.verdict.finding

    @property
    def rate(self) -> float:
        """Page actions per second."""
        return self.verdict.page_actions / self.seconds if self.seconds else 0.0

    @property
    def outcome(self) -> str:
        """One word for it."""
        if self.finding is None:
            return "interrupted" if self.interrupted else "inconclusive" if self.verdict.lost else "legal"
        return "damaged" if self.finding.blame == "trace" else "illegal"


def report(judged: Judged, width: int) -> Iterator[RenderableType]:
    """What `bandgap judge` prints, in at most so many columns."""
    verdict = judged.verdict
    style = _STYLES.get(judged.outcome, "bold red")
    yield f"[bold]{harmless(judged.trace)}[/]: [{style}]{judged.outcome}[/]{escape(_of_what(judged))}"
    misuses = f" ({counted(judged.misuses, 'misuse')} rejected)" if judged.misuses else ""
    yield (
        f"{counted(verdict.lines, 'line')}, {counted(verdict.calls, 'call')}{misuses}, "
        f"{counted(verdict.page_actions, 'page action')} in {judged.seconds:.2f} s: {judged.rate:,.0f} per second"
    )
    if verdict.lost:
        missing = counted(verdict.lost, "record")
        yield f"[bold yellow]{missing} lost[/]: what happened until the next snapshot is not known"
    if judged.goes_on is not None:
        yield f"it goes on in {harmless(judged.goes_on)}, which was not given"
    if verdict.by_action:
        yield ""
        yield _counts(verdict)
    if judged.finding is not None:
        yield ""
        yield from _about(judged.finding, judged.header)
    if judged.history is not None:
        yield ""
        yield from lines(judged.history)
    if judged.picture is not None:
        yield ""
        yield from _drawn(judged.picture, width)
    if judged.code:
        yield ""
        yield "[bold]the same in Python, with the arena in `judge.state`[/]"
        yield escape(judged.code.rstrip())


def document(judged: Judged) -> dict[str, Any]:
    """What `bandgap judge --json` prints."""
    verdict, header = judged.verdict, judged.header
    return {
        "trace": judged.trace,
        "goes_on_in": judged.goes_on,
        "outcome": judged.outcome,
        "model": header.model if header else None,
        "producer": header.producer if header else None,
        "bands": [band.name for band in header.bands] if header else None,
        "lines": verdict.lines,
        "calls": verdict.calls,
        "misuses": judged.misuses,
        "lost": verdict.lost,
        "page_actions": verdict.page_actions,
        "by_action": _by_action(verdict),
        "seconds": judged.seconds,
        "page_actions_per_second": judged.rate,
        "finding": None if judged.finding is None else _finding_document(judged, judged.finding),
    }


def _of_what(judged: Judged) -> str:
    if judged.finding is not None:
        return f" at line {judged.finding.line:,}: {judged.finding.check}"
    return " so far" if judged.interrupted or judged.growing else ""


def _counts(verdict: Verdict) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("action")
    table.add_column("pages", justify="right", overflow="fold")
    for name, count in _by_action(verdict).items():
        table.add_row(name, f"{count:,}")
    return table


def _by_action(verdict: Verdict) -> dict[str, int]:
    """How often each action was judged, in the order of the catalogue."""
    return {name: verdict.by_action[name] for name in ACTIONS if name in verdict.by_action}


def _about(finding: Finding, header: Header | None) -> Iterator[str]:
    table = {
        "property": finding.check,
        "says": prose_of_check(finding.check),
        f"line {finding.line:,}": in_words(finding.record, header) if finding.record is not None else "",
        "problem": printable(finding.problem),
        "to blame": TO_BLAME[finding.blame],
    }
    widest = max(map(len, table))
    for name, text in table.items():
        if text:
            yield f"[dim]{name.ljust(widest)}[/]  {escape(text)}"


def _drawn(picture: Picture, width: int) -> Iterator[RenderableType]:
    titles = ("the arena there", "as it would be") if picture.after else ("the arena there",)
    arenas = [arena for arena in (picture.before, picture.after) if arena is not None]
    for title, strip in zip(titles, strips(*arenas, width=width), strict=True):
        yield f"[bold]{title}[/]"
        yield strip
        yield ""
    yield legend(*arenas)
    yield from (escape(fact) for fact in picture.facts)


def _finding_document(judged: Judged, finding: Finding) -> dict[str, Any]:
    header, picture = judged.header, judged.picture
    sorts = ACTIONS[finding.action].sorts if finding.action else ()
    return {
        "line": finding.line,
        "check": finding.check,
        "prose": prose_of_check(finding.check),
        "problem": finding.problem,
        "blame": finding.blame,
        "action": finding.action,
        "arguments": [{"sort": sort, "value": value} for sort, value in zip(sorts, finding.arguments, strict=True)],
        # a snapshot is as long as the arena is large
        "record": None if isinstance(finding.record, Snapshot) else finding.record,
        "record_in_words": in_words(finding.record, header) if finding.record is not None else None,
        "bytes": picture.bytes if picture else (),
        "facts": picture.facts if picture else (),
        "history": judged.history,
        "code": judged.code,
    }
