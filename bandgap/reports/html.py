"""The gate's result as one HTML file that needs nothing else."""

from pathlib import Path

from bandgap.documents.glossary import GLOSSARY
from bandgap.gate.lane import GateResult
from bandgap.reports.coverage import of_gate, rows
from bandgap.reports.drawn import drawings
from bandgap.reports.provenance import provenance
from bandgap.reports.templating import templates

SAYS = {
    "holds": "Every lane checked what it must, and nothing was found.",
    "violated": "A property does not hold. What breaks it is below.",
    "broken": "A check could not be made, or missed the fault planted for it. Of what it checks, nothing is known.",
    "inconclusive": "Something has no answer yet. That is not a pass.",
}

WORDS = (
    "arena",
    "band",
    "span",
    "page",
    "virtual page",
    "live",
    "withheld",
    "hole",
    "ticket",
    "settle",
    "queued",
    "trace",
)
"""Those of the glossary that a violation is told in."""

DRIVER = "Whoever calls the allocator: a serving engine, or here the fuzzer in its place."


def write_html(result: GateResult, path: Path) -> None:
    """Writes it."""
    violations = [violation for lane in result.lanes for violation in lane.evidence.violations]
    page = templates().get_template("report.html.jinja")
    text = page.render(
        result=result,
        violations=violations,
        says=SAYS[result.answer],
        provenance=provenance(),
        drawings=drawings,
        coverage=of_gate(result),
        coverage_rows=rows,
        words=[("driver", DRIVER), *((word, GLOSSARY[word]) for word in WORDS)],
    )
    # half a surrogate pair, as file names can have, is no text that could be encoded
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
