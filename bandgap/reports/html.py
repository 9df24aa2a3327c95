"""The gate's result as one HTML file that needs nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bandgap.gate.lane import GateResult
from bandgap.gate.violation import Violation
from bandgap.history import History
from bandgap.history.calls import Told
from bandgap.pictures import used
from bandgap.reports import lanes
from bandgap.reports.coverage import of_gate, rows
from bandgap.reports.drawn import drawings
from bandgap.reports.provenance import provenance
from bandgap.reports.symptoms import Symptom, said_of, symptoms_of
from bandgap.reports.templating import templates
from bandgap.reports.words import WORDS, anchor, words_in

SAYS = {
    "holds": "Every lane checked what it must, and nothing was found.",
    "violated": "A property does not hold. What breaks it is below.",
    "broken": "A check could not be made, or missed the fault planted for it. Of what it checks, nothing is known.",
    "inconclusive": "Something has no answer yet. That is not a pass.",
}

FEW_PLACES: Final = 6
"""More than these are folded away."""

FEW_LINES: Final = 30
"""A program of more is folded away where its calls cannot be told from the rest."""


@dataclass(frozen=True)
class Line:
    """A call of a history, and how its lines bear on what broke."""

    told: Told
    bears: str


def write_html(result: GateResult, path: Path) -> None:
    """Write the report."""
    symptoms = symptoms_of(result)
    used_by = {id(symptom): words_in(_texts(symptom)) for symptom in symptoms}
    page = templates().get_template("report.html.jinja")
    of_page = dict.fromkeys(word for words in used_by.values() for word in words) | dict.fromkeys(_of_lanes(result))
    text = page.render(
        result=result,
        symptoms=symptoms,
        said=said_of(symptoms),
        says=SAYS[result.answer],
        provenance=provenance(),
        drawings=drawings,
        used=used,
        story=story,
        lanes=lanes,
        few_places=FEW_PLACES,
        few_lines=FEW_LINES,
        coverage=of_gate(result),
        coverage_rows=rows,
        anchor=anchor,
        words_of=lambda symptom: used_by[id(symptom)],
        words=[(word, WORDS[word]) for word in sorted(of_page, key=str.lower)],
    )
    # half a surrogate pair, as file names can have, is no text that could be encoded
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def story(history: History) -> tuple[Line, ...]:
    """All calls, if they are few, each with what its lines of the trace have to do with what broke."""
    bears: dict[int, list[str]] = {}
    for entry in history.entries[:-1]:
        bears.setdefault(entry.call, []).append(entry.bears)
    return tuple(Line(told, "; ".join(dict.fromkeys(bears.get(told.call, ())))) for told in history.calls)


def _texts(symptom: Symptom) -> Iterator[str]:
    violation = symptom.first.violation
    yield from (violation.title, violation.plainly, violation.prose, violation.steps or violation.code, violation.where)
    yield from (said for side in violation.sides for said in side)
    yield from violation.facts
    yield f"lane symptom {'life' if violation.absent else ''}"
    yield from _of_history(violation)


def _of_history(violation: Violation) -> Iterator[str]:
    history = violation.history
    if history is None:
        return
    yield from (f"{entry.says} {entry.bears}" for entry in history.entries)
    yield from (f"{told.says} {' '.join(told.came)}" for told in history.calls)
    yield "stream waits runs after hold" if history.streams else ""
    yield "page band arena" if violation.pictures else ""


def _of_lanes(result: GateResult) -> tuple[str, ...]:
    said = ["lane"]
    for lane in lanes.ran(result):
        said += [lane.claim, *(count.what for count in lane.evidence.counts), *(row[0] for row in rows(lane))]
        said += ["canary"] if lane.evidence.canaries else []
    return words_in(said)
