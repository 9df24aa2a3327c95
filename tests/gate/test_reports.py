"""What is written for people and pipelines says what was found, and hostile names change nothing but themselves."""

import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from bandgap.gate.evidence import Count, Evidence
from bandgap.gate.lane import GateResult
from bandgap.history import Entry, History
from bandgap.pictures import Arena, Band, Look, Mark, Page, Status
from bandgap.reports.document import document
from bandgap.reports.html import write_html
from bandgap.reports.junit import plain, write_junit
from bandgap.reports.terminal import show_violation
from tests.gate.samples import CAUGHT, SOUND, VIOLATION, result_of

HOSTILE = (
    "</code></title></style><img src=x onerror=alert(1)><script>alert(1)</script>\"'&{{ 7*7 }}]]>\x00\x1b[31m\ud800"
)
BAD = replace(SOUND, violations=(VIOLATION,))


def hostile_result() -> GateResult:
    band = Band(HOSTILE, 0, 10, 0, 2, [Page(0, Status.LIVE, HOSTILE)])
    arena = Arena(0, 20, [band], [Mark(0, 0, 10, Look.WRONG)])
    history = History(1, 1, HOSTILE, HOSTILE, (HOSTILE,), (Entry(1, 1, HOSTILE, HOSTILE),))
    violation = replace(
        VIOLATION,
        check=HOSTILE,
        prose=HOSTILE,
        where=HOSTILE,
        problem=HOSTILE,
        facts=(HOSTILE,),
        history=history,
        before=arena,
        after=arena,
        code=HOSTILE,
        command=HOSTILE,
    )
    evidence = replace(
        SOUND,
        violations=(violation,),
        counts=(Count(HOSTILE, 1, 2),),
        canaries=(replace(CAUGHT, fault=HOSTILE, expects=HOSTILE),),
        broken=(HOSTILE,),
        unknown=(HOSTILE,),
        unfinished=(HOSTILE,),
        notes=(HOSTILE,),
    )
    return result_of(evidence, name=HOSTILE, claim=HOSTILE)


class _Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def html_of(result: GateResult, folder: Path) -> _Page:
    write_html(result, folder / "report.html")
    return _Page((folder / "report.html").read_text())


def junit_of(result: GateResult, folder: Path) -> ET.Element:
    write_junit(result, folder / "junit.xml")
    return ET.parse(folder / "junit.xml").getroot()


# --------------------------------------------------------------------------------------------------------------- html


def test_a_passing_report_says_what_was_checked_and_what_not(tmp_path: Path) -> None:
    page = html_of(result_of(SOUND), tmp_path)
    for said in ("bandgap gate: holds", "Nothing overlaps.", "100", "calls", "What a pass does not say"):
        assert said in page.text
    assert "What is violated" not in page.text
    assert "article" not in page.tags


def test_a_failing_report_shows_the_property_and_how_to_see_it_again(tmp_path: Path) -> None:
    page = html_of(result_of(BAD), tmp_path)
    said = [VIOLATION.check, VIOLATION.prose, VIOLATION.problem, VIOLATION.where, VIOLATION.code, VIOLATION.command]
    assert all(each is not None and each in page.text for each in said)
    assert page.tags.count("article") == 1


def test_a_report_needs_nothing_else_and_runs_nothing(tmp_path: Path) -> None:
    page = html_of(result_of(BAD), tmp_path)
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    links = [value for name, value in page.attributes if name == "href" and value is not None]
    assert all(link.startswith("#") or link == "data:," for link in links)
    text = (tmp_path / "report.html").read_text()
    assert "@import" not in text
    assert "url(" not in text


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    page = html_of(hostile_result(), tmp_path)
    assert not {"script", "img"} & set(page.tags)
    assert page.tags.count("title") == 1 + 3  # its own, and in the picture those of two pages and a mark
    assert page.text.count("<script>alert(1)</script>") >= 20
    assert "{{ 7*7 }}" in page.text


def test_a_violation_tells_where_whom_and_how_it_came_to_that(tmp_path: Path) -> None:
    entries = Entry(5, 1, "page 3 is handed out", "id 7 begins"), Entry(9, 2, "again", "here no-overlap breaks")
    history = History(9, 2, "asks for pages", "again", ("ticket 4, a forward",), entries)
    violation = replace(VIOLATION, history=history)
    page = html_of(result_of(replace(SOUND, violations=(violation,))), tmp_path)
    for said in (
        "line 9 of the trace, in call 2",
        "asks for pages",
        "ticket 4, a forward",
        "line 5, call 1",
        "id 7 begins",
    ):
        assert said in page.text
    found = json.loads(msgspec.json.encode(document(result_of(replace(SOUND, violations=(violation,))), {})))
    told = found["lanes"][0]["violations"][0]
    assert [entry["line"] for entry in told["history"]["entries"]] == [5, 9]
    console = Console(file=io.StringIO(), width=40)
    show_violation(violation, console)
    assert isinstance(console.file, io.StringIO)
    assert "5  1  page 3 is handed out\n      → id 7 begins" in console.file.getvalue()


def test_a_clause_of_the_judge_is_said_plainly(tmp_path: Path) -> None:
    history = History(9, 2, "", "the allocator takes 1 hole", (), (Entry(9, 2, "x", "y"),))
    violation = replace(VIOLATION, problem="absorb-high band 0: not so: the page is in no use", history=history)
    page = html_of(result_of(replace(SOUND, violations=(violation,))), tmp_path)
    assert "The allocator takes 1 hole; required is that the page is in no use." in page.text


def test_a_report_can_be_read_by_keyboard_and_on_a_phone(tmp_path: Path) -> None:
    page = html_of(hostile_result(), tmp_path)
    assert page.tags.count("main") == page.tags.count("header") == 1
    first = next(attributes for attributes in page.attributes if attributes[0] == "href" and attributes[1] != "data:,")
    assert first == ("href", "#violations")
    targets = {value for name, value in page.attributes if name == "id"}
    used = {value for name, value in page.attributes if name in ("aria-labelledby",)}
    assert used <= targets
    assert ("content", "width=device-width, initial-scale=1") in page.attributes
    # whatever may be wider than the page scrolls by itself and can be reached
    assert page.tags.count("pre") == page.attributes.count(("tabindex", "0"))


def test_a_missed_floor_is_marked(tmp_path: Path) -> None:
    page = html_of(result_of(replace(SOUND, counts=(Count("calls", 1, 50),))), tmp_path)
    assert ("class", "short") in page.attributes


# -------------------------------------------------------------------------------------------------------------- junit


def test_junit_of_a_pass_has_no_failure(tmp_path: Path) -> None:
    root = junit_of(result_of(SOUND), tmp_path)
    assert [root.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["2", "0", "0", "0"]


def test_junit_of_a_violation_is_a_failure_that_names_the_property(tmp_path: Path) -> None:
    root = junit_of(result_of(BAD), tmp_path)
    assert [root.get(key) for key in ("failures", "errors")] == ["1", "0"]
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("type") == VIOLATION.check
    assert VIOLATION.command is not None
    assert VIOLATION.command in (failure.text or "")


@pytest.mark.parametrize(
    "evidence",
    [
        replace(SOUND, unknown=("x",)),
        replace(SOUND, unfinished=("x",)),
        replace(SOUND, broken=("x",)),
        replace(SOUND, counts=(Count("calls", 1, 50),)),
        replace(SOUND, canaries=(replace(CAUGHT, caught_by=None),)),
        replace(SOUND, canaries=()),
        replace(SOUND, counts=()),
    ],
)
def test_whatever_is_no_pass_is_an_error_and_never_skipped(evidence: Evidence, tmp_path: Path) -> None:
    root = junit_of(result_of(evidence), tmp_path)
    assert [root.get(key) for key in ("failures", "errors", "skipped")] == ["0", "1", "0"]


def test_junit_survives_hostile_names(tmp_path: Path) -> None:
    root = junit_of(hostile_result(), tmp_path)
    suite = root.find("testsuite")
    assert suite is not None
    assert suite.get("name") == plain(HOSTILE)
    assert "<script>" in plain(HOSTILE)
    assert "\x00" not in plain(HOSTILE)


# --------------------------------------------------------------------------------------------------------------- json


def test_the_document_gives_the_same_facts(tmp_path: Path) -> None:
    found = json.loads(msgspec.json.encode(document(result_of(BAD), {"report": tmp_path / "report.html"})))
    assert found["answer"] == "violated"
    assert found["exit"] == 1
    lane = found["lanes"][0]
    assert lane["violations"][0]["check"] == VIOLATION.check
    assert lane["violations"][0]["command"] == VIOLATION.command
    assert lane["counts"] == [{"what": "calls", "number": 100, "floor": 50}]
    assert lane["canaries"][0]["caught_by"] == "no-overlap"
    assert lane["reasons"][0]["answer"] == "violated"
    assert found["files"] == {"report": str(tmp_path / "report.html")}
    assert {"bandgap", "torch", "z3-solver", "hypothesis", "python", "revision"} <= set(found["provenance"])
