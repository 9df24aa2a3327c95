"""What helps is told: in words, as fields of a document, and in the gate's reports."""

from pathlib import Path

from rich.console import Console

from bandgap.gate.evidence import Evidence
from bandgap.gate.lanes import proofs
from bandgap.proofs.document import document
from bandgap.proofs.help import said
from bandgap.proofs.report import outcome, show
from bandgap.reports.document import document as gate_document
from bandgap.reports.html import write_html
from bandgap.reports.terminal import show_violation
from properties.answers import Answer, Verdict
from properties.failing.helping import ADMISSION, Help, helps
from properties.failing.repairs import Repair
from properties.failing.routes import Route
from properties.obligations import Kind, Obligation
from properties.report import Report
from properties.selection import broken
from properties.specification import AS_WRITTEN, dropped
from tests.gate.samples import result_of
from tests.properties.broken import helped, refuted

SENTENCE = "unshare.another-reference-remains"
OBLIGATION = Obligation(Kind.INDUCTIVE, "unshare", "bijection")
SAYS = (
    ("smallest", "An arena of 1 band, 1 page and 1 id; nothing smaller refutes it."),
    (
        "comes about",
        "Reachable in 1 action from an empty arena: allocate(band 0, page 0, v0); then unshare(band 0, v0) breaks "
        "bijection.",
    ),
    (
        "mended by",
        "“refs[band, vid] is more than 1” in the guard of unshare: with it everything that unshare must keep is "
        "proved, and it can still happen.",
    ),
)


def reported() -> Report:
    """What a run of the one obligation comes to."""
    known = refuted(dropped(AS_WRITTEN, SENTENCE), OBLIGATION)
    answer = Answer(OBLIGATION, Verdict.VIOLATED, 0.0, known)
    return Report(broken(SENTENCE, [OBLIGATION.name]), SENTENCE, (answer,), (), (), 0.0, False)


def printed(console_of: Console) -> str:
    return " ".join(console_of.export_text().split())


def test_what_helps_is_told_in_words_as_fields_and_by_the_gate(tmp_path: Path) -> None:
    report = reported()
    (found,) = helps(report.answers, SENTENCE, 1)
    assert tuple(said(found)) == SAYS
    by_obligation = {OBLIGATION: found}

    console = Console(width=100, record=True, quiet=False, file=(tmp_path / "out").open("w"))
    show(console, outcome(report, by_obligation, 100))
    text = printed(console)
    assert all(f"{title}: {sentence}" in text for title, sentence in SAYS)
    assert "violated unshare x bijection" in text

    (told,) = document(report, by_obligation)["answers"]
    assert told["help"] == {
        "action": "unshare",
        "property": "bijection",
        "smallest": {
            "bands": 1,
            "pages": 1,
            "tickets": 0,
            "ids": 1,
            "publishers": 0,
            "page_bytes": (1,),
            "is_least": True,
        },
        "reached": {
            "is_reached": True,
            "actions": ["allocate(band 0, page 0, v0)"],
            "states_seen": told["help"]["reached"]["states_seen"],
            "bound": 10,
        },
        "repair": {
            "sentence": "refs[band, vid] is more than 1",
            "as_in": "",
            "where": "",
            "tried": told["help"]["repair"]["tried"],
            "all_tried": True,
            "still_happens": told["help"]["repair"]["still_happens"],
        },
        "not_applicable": "",
    }
    assert told["help"]["repair"]["still_happens"].startswith("unshare(band ")
    assert told["help"]["repair"]["tried"] > 200
    assert len(told["counterexample"]["before"]["origins"]) == 1

    (violation,) = proofs.violations(report, by_obligation)
    assert violation.help == SAYS
    assert "before: v0 of band 0: 1 reference, at page 0, last written garbage" in violation.facts
    result = result_of(Evidence(violations=(violation,)), name="proofs")
    write_html(result, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "What helps to mend it" in page
    # a reference less is nothing that is drawn: one picture says both
    assert page.count("<svg") == len(violation.pictures) == 1
    assert all(sentence in page for _, sentence in SAYS)
    (lane,) = gate_document(result, {})["lanes"]
    assert lane["violations"][0]["help"] == SAYS
    terminal = Console(width=100, record=True, file=(tmp_path / "gate").open("w"))
    show_violation(violation, terminal)
    text = printed(terminal)
    assert all(f"{title}: {sentence}" in text for title, sentence in SAYS)


def test_without_help_the_verdict_and_the_counterexample_are_told_all_the_same() -> None:
    report = reported()
    (told,) = document(report, {})["answers"]
    assert told["help"] is None
    assert told["counterexample"]
    assert report.verdict is Verdict.VIOLATED
    (violation,) = proofs.violations(report)
    assert violation.help == ()
    assert violation.before is not None


def test_what_is_open_is_told_to_be_open() -> None:
    found = helped(dropped(AS_WRITTEN, SENTENCE), OBLIGATION)
    assert found.smallest is not None
    away = Help(OBLIGATION, found.smallest, Route(states=1234), Repair(tried=7, is_whole=False))
    texts = dict(said(away))
    assert texts["comes about"].startswith("Not reached within 10 actions from an empty arena (1,234 states seen).")
    assert "unreachable" not in texts["comes about"]
    assert texts["mended by"] == (
        "No single sentence of a guard does, of 7 that were tried, and not all that could be said was tried."
    )
    assert dict(said(Help(OBLIGATION, apart=ADMISSION)))["no more"].startswith("It is about numbers")
