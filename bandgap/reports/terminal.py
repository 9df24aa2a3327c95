"""The gate's result as people read it in a terminal."""

from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from bandgap.gate.lane import GateResult, LaneResult
from bandgap.gate.verdict import Answer
from bandgap.gate.violation import Violation
from bandgap.history.telling import lines
from bandgap.output import harmless
from bandgap.pictures import legend, strips
from bandgap.reports import coverage, lanes
from bandgap.reports.symptoms import Symptom, said_of, symptoms_of

COLOURS = {
    Answer.HOLDS: "green",
    Answer.INCONCLUSIVE: "yellow",
    Answer.BROKEN: "magenta",
    Answer.VIOLATED: "bold red",
}
WIDEST = 110
"""A picture is not drawn wider than this, however wide the terminal is."""

SHOWN = 3
"""Symptoms that are shown whole; the report has all of them."""

FEW = 4
"""Operations that are named of those that were switched off."""

PLACES = 4
"""Places of a symptom that are named, besides the one that is shown."""


def show(result: GateResult, files: dict[str, Path], console: Console) -> None:
    """Prints the lanes, what is wrong, and the verdict last, where the eye is."""
    console.print(_lanes(result))
    for lane in lanes.ran(result):
        for reason in lanes.reasons(lane):
            console.print(f"{in_colour(reason.answer)} {escape(lane.name)}: {escape(reason.text)}")
    away = lanes.left_out(result)
    if away:
        console.print(f"{in_colour(Answer.INCONCLUSIVE)} not run: {escape(', '.join(away))} (left out)")
    for line in coverage.lines(coverage.of_gate(result)):
        console.print(f"[dim]{escape(line)}[/]")
    symptoms = symptoms_of(result)
    if symptoms:
        console.print(f"\n[bold]{said_of(symptoms)}[/]")
    for symptom in symptoms[:SHOWN]:
        show_violation(symptom.first.violation, console)
        for line in _elsewhere(symptom):
            console.print(f"[dim]{harmless(line)}[/]")
    if len(symptoms) > SHOWN:
        console.print(f"\n{len(symptoms) - SHOWN} more are in the report.")
    console.print()
    for name, path in files.items():
        console.print(f"{name:<7} {path}", markup=False, soft_wrap=True)
    console.print(_verdict(result))


def _lanes(result: GateResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("lane", no_wrap=True)
    table.add_column("checked")
    table.add_column("canaries")
    table.add_column("seconds", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for lane in lanes.ran(result):
        counts = ", ".join(f"{count.number:,} {count.what}" for count in lane.evidence.counts)
        checked = f"{escape(lane.claim)}\n[dim]{escape(counts)}[/]"
        table.add_row(lane.name, checked, _canaries(lane), f"{lane.seconds:,.1f}", in_colour(lane.answer))
    return table


def _canaries(lane: LaneResult) -> str:
    count = len(lane.evidence.canaries)
    return f"{lane.canaries_caught} of {count}" if count else "none"


def show_violation(violation: Violation, console: Console) -> None:
    """Prints one: the property, where it broke and how it came to that, the arena, and how to see it again."""
    console.print(f"\n[bold red]{harmless(violation.check)}[/]  [bold]{harmless(violation.title)}[/]")
    console.print(f"{harmless(violation.where)}: {harmless(violation.plainly)}")
    console.print(f"[dim]asked for:[/] {harmless(violation.prose)}\n")
    show_evidence(violation, console)
    # whole lines, so that they can be pasted
    for text in (violation.code.rstrip(), violation.command):
        if text:
            console.print(f"\n{text}", markup=False, soft_wrap=True)


def show_evidence(violation: Violation, console: Console) -> None:
    """Prints where it broke and whom it concerns, how it came to that, and the arena before and after."""
    if violation.history is not None:
        console.print(*lines(violation.history), "", sep="\n", soft_wrap=True)
    for who, says in violation.sides:
        console.print(f"[dim]{harmless(who)}[/]  {harmless(says)}")
    for said in violation.bytes:
        console.print(f"[dim]bytes[/]  {harmless(said.removeprefix('bytes '))}")
    arenas = violation.pictures
    if arenas:
        names = ("before", "after") if len(arenas) > 1 else ("where it broke",)
        for name, picture in zip(names, strips(*arenas, width=min(console.width, WIDEST) - 2), strict=True):
            console.print(_indented(Group("", f"[dim]{name}[/]", picture)))
        console.print(_indented(Group("", legend(*arenas), "")))
    for fact in violation.facts:
        console.print(f"- {harmless(fact)}")
    if violation.absent:
        more = f" and {len(violation.absent) - FEW} more" if len(violation.absent) > FEW else ""
        absent = harmless(", ".join(violation.absent[:FEW]) + more)
        console.print(f"[dim]switched off in the life that broke: {absent}[/]")
    for title, sentence in violation.help:
        console.print(f"\n[bold]{escape(title)}[/]: {escape(sentence)}")


def _elsewhere(symptom: Symptom) -> Iterator[str]:
    """Where else it was seen, and what all places share."""
    if symptom.others:
        named = [f"{each.lane}: {each.violation.where}" for each in symptom.others[:PLACES]]
        more = f"; {len(symptom.others) - PLACES} more" if len(symptom.others) > PLACES else ""
        yield f"also in {'; '.join(named)}{more}"
    for name, values in symptom.always:
        yield f"always, {name}: {values}"
    for name, values in symptom.differed:
        yield f"whatever the {name}: {values}"


def _indented(what: RenderableType) -> Padding:
    return Padding(what, (0, 0, 0, 2))


def _verdict(result: GateResult) -> str:
    how = "quick, " if result.settings.quick else ""
    stopped = ", interrupted before it was finished" if result.stopped else ""
    run = f"{result.settings.target}, {how}seed {result.settings.seed}, {result.seconds:.0f} s{stopped}"
    return f"[bold]{in_colour(result.answer)}[/]  {escape(run)}"


def in_colour(answer: Answer, words: str | None = None) -> str:
    """An answer, or words for it, in the colour that says at a glance how bad it is."""
    return f"[{COLOURS[answer]}]{words or answer.value}[/]"
