"""What the gate says of another's allocator is in the same reports as what it says of Bandgap's."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bandgap.gate.evidence import Canary
from bandgap.gate.verdict import Answer
from bandgap.peers.gate import Found, PeerResult
from bandgap.peers.known import Known
from bandgap.peers.reporting import as_gate
from bandgap.reports.writing import write_reports
from bandgap.verbs.gate import run as gate
from fuzz.peers.hunting import Hunt
from tests.peers.sample import example
from tests.peers.test_known import DESCRIPTION, FINDING

FAULT = Canary("moves-leave-the-bytes-behind", "content", "content")
EXCUSED = Known("ours", "content", "cache team", "known upstream", date(2099, 1, 31))


def result(*found: Found, canary: Canary | None = FAULT, calls: int = 10, stopped: bool = False) -> PeerResult:
    hunt = Hunt(1, calls, 1.0)
    hunt.outcomes["alloc", "granted"] = hunt.actions["allocate"] = calls
    return PeerResult("ours", DESCRIPTION, 1, hunt, found, canary, stopped)


@pytest.mark.parametrize(
    "of",
    [
        result(),
        result(canary=None),
        result(Found(FINDING, Path("f"))),
        result(Found(FINDING, Path("f"), EXCUSED)),
        result(Found(FINDING, Path("f"), EXCUSED), Found(FINDING, Path("g"))),
        result(canary=replace(FAULT, caught_by=None)),
        result(canary=replace(FAULT, caught_by="span")),
        result(stopped=True),
        result(calls=0),
        result(Found(FINDING, Path("f")), canary=replace(FAULT, caught_by=None), calls=0, stopped=True),
    ],
)
def test_every_report_has_the_verdict_of_the_gate(of: PeerResult, tmp_path: Path) -> None:
    same = as_gate(of, tmp_path, 3.0)
    assert same.answer is of.answer
    texts = [reason.text for reason in same.lanes[0].reasons]
    assert len(texts) == len(set(texts)) == len(of.reasons)
    files, problem = write_reports(same)
    assert problem == ""
    assert f"bandgap gate: {of.answer}" in files["report"].read_text()
    suite = ElementTree.parse(files["junit"]).getroot()
    counted = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    assert (counted > 0) == (of.answer is not Answer.HOLDS)
    (run,) = json.loads(files["sarif"].read_bytes())["runs"]
    assert len(run["results"]) == sum(found.excused is None for found in of.found)
    document = json.loads(files["json"].read_bytes())
    assert document["answer"] == of.answer


def test_what_is_excused_is_a_note_and_no_failure(tmp_path: Path) -> None:
    files, _ = write_reports(as_gate(result(Found(FINDING, Path("f"), EXCUSED)), tmp_path, 3.0))
    for name in ("report", "junit"):
        assert "known to cache team until 2099-01-31: content breaks on small" in files[name].read_text()


def test_a_broken_example_has_a_report_with_its_history_and_its_picture(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    driver = example(tmp_path, old="strict=True)) > ARENA_BYTES:", new="strict=True)) > ARENA_BYTES + 64:")
    assert gate(str(driver), minutes=0.01, out_folder=tmp_path / "out", as_json=True) == 1
    answer = json.loads(capfd.readouterr().out)
    page = Path(answer["files"]["report"]).read_text()
    for part in ("band-order", "How it came to that", "<svg", "with running(found(", "bandgap reproduce"):
        assert part in page
    assert json.loads(Path(answer["files"]["json"]).read_bytes())["lanes"][0]["violations"][0]["history"]
