"""Failures that look alike are one symptom; a page of them is short, ordered, and explains its words."""

import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import msgspec
import pytest
from rich.console import Console

from bandgap.gate.evidence import Evidence
from bandgap.gate.lane import GateResult, LaneResult
from bandgap.gate.settings import Settings
from bandgap.gate.violation import Violation
from bandgap.pictures import Arena, Band, Look, Mark, Page, Status, legend
from bandgap.reports import provenance
from bandgap.reports.document import document
from bandgap.reports.drawn import drawings
from bandgap.reports.html import write_html
from bandgap.reports.symptoms import said_of, symptoms_of
from bandgap.reports.terminal import show
from tests.gate.forgetful import DIFFERENT, REJECTED, explained
from tests.gate.samples import SOUND, VIOLATION, result_of
from tests.house.walls import ROOT

LAYOUTS = "toy-window-full", "toy-state-full"


def lane(name: str, evidence: Evidence, floors: dict[str, int] | None = None) -> LaneResult:
    return replace(result_of(evidence, name=name).lanes[0], floors=floors or {})


def gate(*lanes: LaneResult) -> GateResult:
    return GateResult(Settings(), lanes, 3.0)


@pytest.fixture(scope="module")
def found() -> GateResult:
    """Two symptoms of one cause, each in two layouts, one of them in two lanes."""
    monkeypatch = pytest.MonkeyPatch()
    rejected = [explained(monkeypatch, REJECTED, layout) for layout in LAYOUTS]
    differing = [explained(monkeypatch, DIFFERENT, layout) for layout in LAYOUTS]
    return gate(
        lane("first", SOUND),
        lane("driver", replace(SOUND, violations=(*rejected, differing[0]))),
        lane("device", replace(SOUND, violations=(differing[1],))),
    )


class _Page(HTMLParser):
    """What a page has, in order: elements with their attributes, and the text with the elements in which it is."""

    def __init__(self, result: GateResult, folder: Path) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[tuple[str, tuple[str, ...]]] = []
        write_html(result, folder / "report.html")
        self.feed((folder / "report.html").read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "rect", "line"):
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.said.append((data, tuple(tag for tag, _ in self.open)))

    @property
    def text(self) -> str:
        return " ".join(" ".join(data for data, _ in self.said).split())

    def within(self, tag: str) -> str:
        return " ".join(data for data, where in self.said if tag in where)

    def outside(self, tag: str) -> str:
        return " ".join(data for data, where in self.said if tag not in where)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.all if name == tag]


# ---------------------------------------------------------------------------------------------------------- symptoms


def test_what_breaks_in_the_same_way_is_one_symptom_and_the_shortest_is_first(found: GateResult) -> None:
    symptoms = symptoms_of(found)
    assert said_of(symptoms) == "2 symptoms in 4 places"
    assert [(symptom.first.violation.calls, len(symptom.seen)) for symptom in symptoms] == [(3, 2), (6, 2)]
    assert symptoms[0].lanes == ("driver", "device")
    assert len({symptom.title for symptom in symptoms}) == 2


@pytest.mark.parametrize(
    "other",
    [
        replace(VIOLATION, check="content"),
        replace(VIOLATION, call="drain"),
        replace(VIOLATION, problem="full page 3 and window page 1 share all bytes"),
    ],
)
def test_another_property_call_or_problem_is_another_symptom(other: Violation) -> None:
    numbers = replace(VIOLATION, problem=VIOLATION.problem.replace("3", "30"))
    assert len(symptoms_of(gate(lane("a", replace(SOUND, violations=(VIOLATION, numbers)))))) == 1
    assert len(symptoms_of(gate(lane("a", replace(SOUND, violations=(VIOLATION, other)))))) == 2


def test_a_property_comes_before_what_any_fault_leads_to() -> None:
    vague, direct = replace(VIOLATION, check="agreement"), replace(VIOLATION, calls=9)
    symptoms = symptoms_of(gate(lane("a", replace(SOUND, violations=(vague, direct)))))
    assert [symptom.first.violation.check for symptom in symptoms] == ["no-overlap", "agreement"]


def test_what_all_places_share_and_what_never_mattered_is_told(found: GateResult) -> None:
    _, rejected = symptoms_of(found)
    assert dict(rejected.always) == {
        "lane": "driver",
        "target": "bandgap",
        "users": "copy, forward",
        "calls": "allocate, hold to write, open, open with waits",
    }
    assert dict(rejected.differed) == {"layout": "toy-state-full, toy-window-full", "band": "state, window6"}


def test_one_place_shares_nothing_with_others() -> None:
    (symptom,) = symptoms_of(gate(lane("a", replace(SOUND, violations=(VIOLATION,)))))
    assert symptom.always == symptom.differed == ()


def test_the_document_has_the_symptoms_as_its_schema_says(found: GateResult) -> None:
    told = json.loads(msgspec.json.encode(document(found, {})))
    jsonschema.validate(told, json.loads((ROOT / "docs/schemas/gate.json").read_text()))
    assert [(each["call"], len(each["places"])) for each in told["symptoms"]] == [("open", 2), ("hold", 2)]
    assert told["symptoms"][1]["differed"]["band"] == "state, window6"
    sides = told["lanes"][1]["violations"][0]["sides"]
    assert sides[0][0] == "the allocator says"


def test_the_terminal_shows_each_symptom_once_and_where_else_it_was_seen(found: GateResult) -> None:
    console = Console(file=io.StringIO(), width=300)
    show(found, {}, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]  # it was made as a StringIO
    assert "2 symptoms in 4 places" in said
    assert said.count("how it came to that") == 2
    assert "also in device: toy-state-full, seed 7" in said
    assert "ticket 2 runs after ticket 0: both are on stream 'compute'" in said
    assert "whatever the layout: toy-state-full, toy-window-full" in said
    assert "switched off in the life that broke: clear, fork" in said


# -------------------------------------------------------------------------------------------------------------- page


def test_a_page_has_one_card_for_a_symptom_and_a_row_for_each_other_place(found: GateResult, tmp_path: Path) -> None:
    page = _Page(found, tmp_path)
    assert len(page.of("article")) == 2
    assert "What is violated: 2 symptoms in 4 places" in page.text
    for symptom in symptoms_of(found):
        assert symptom.title in page.within("h3")
        (other,) = symptom.others
        row = f"{other.lane} {other.violation.where} {other.violation.calls} {other.violation.command}"
        assert row in " ".join(page.within("article").split())


def test_the_contents_link_to_every_symptom_and_to_the_lanes(found: GateResult, tmp_path: Path) -> None:
    page = _Page(found, tmp_path)
    links = [attributes["href"] for tag, attributes in page.all if tag == "a"]
    ids = {attributes["id"] for _, attributes in page.all if "id" in attributes}
    assert {"#symptom-1", "#symptom-2", "#lanes"} <= set(links)
    assert {str(link)[1:] for link in links} <= ids
    contents = page.within("nav")
    assert all(symptom.title in contents for symptom in symptoms_of(found))
    assert "agreement, 2 places, lanes driver, device" in contents


def test_the_calls_come_first_and_what_sets_them_up_is_folded(found: GateResult, tmp_path: Path) -> None:
    page = _Page(found, tmp_path)
    card = page.within("article")
    first = symptoms_of(found)[0].first.violation
    assert card.index(first.title) < card.index(first.steps.splitlines()[0]) < card.index("What is wrong")
    assert "from impl.layout import" not in page.outside("details")
    assert "from impl.layout import" in page.within("details")
    # one click marks the whole program, as no script may run
    assert [each for each in page.of("pre") if each.get("class") == "whole"]
    style = (tmp_path / "report.html").read_text()
    assert ".whole { user-select: all; }" in style
    assert "white-space: pre-wrap" in style


def test_a_card_has_its_lane_and_target_and_folds_what_was_switched_off(found: GateResult, tmp_path: Path) -> None:
    page = _Page(found, tmp_path)
    assert "lane driver target bandgap" in " ".join(page.within("article").split())
    assert "Switched off in the life that broke: 2 operations" in page.within("summary")
    assert "clear, fork" in page.within("details")
    assert "clear, fork" not in page.outside("details")


def test_who_says_what_is_told_with_the_calls_and_the_streams(found: GateResult, tmp_path: Path) -> None:
    page = _Page(found, tmp_path)
    for said in (
        "The allocator says",
        "The judge says",
        "ticket 2 runs after ticket 0: both are on stream 'compute', and ticket 0 was opened first",
        "opens ticket 2, a forward on stream 'compute', waiting for ticket 1",
        "touches ticket 2 stream 'compute' ticket 1",
        "Streams and their tickets, where it broke",
        "page 2 of window6 to write",
    ):
        assert said in page.text, said
    assert "svg" not in {tag for tag, _ in page.all}


def test_every_word_that_is_linked_is_explained(found: GateResult, tmp_path: Path) -> None:
    violation = replace(VIOLATION, problem="on stream 'stray 0'", code="FROM_OUTSIDE", absent=("clear",))
    lanes = (*found.lanes, lane("other", replace(SOUND, violations=(violation,))))
    page = _Page(replace(found, lanes=lanes), tmp_path)
    links = {str(each["href"])[1:] for each in page.of("a") if str(each["href"]).startswith("#word-")}
    explained_words = {each["id"] for each in page.of("dt") if "id" in each}
    assert links <= explained_words
    for word in ("from_outside", "stray", "life", "canary", "lane", "stream", "hold", "misuse", "runs-after"):
        assert f"word-{word}" in explained_words
    for word in ("from_outside", "stray", "life", "lane", "stream", "hold", "misuse", "runs-after"):
        assert f"word-{word}" in links


def test_of_words_that_are_not_used_nothing_is_said(tmp_path: Path) -> None:
    page = _Page(result_of(SOUND), tmp_path)
    assert not {"word-relayout", "word-from_outside", "word-stray"} & {each.get("id") for each in page.of("dt")}


# ------------------------------------------------------------------------------------------------------------- lanes


def left_out(name: str) -> LaneResult:
    whole = lane(name, SOUND)
    return replace(
        whole,
        done=tuple(
            replace(done, evidence=Evidence(unfinished=("task 0: left out",)), left_out=True) for done in whole.done
        ),
    )


def test_lanes_that_are_violated_come_first_and_those_left_out_are_one_line(tmp_path: Path) -> None:
    result = gate(
        left_out("proofs"),
        lane("sound", SOUND),
        left_out("faults"),
        lane("bad", replace(SOUND, violations=(VIOLATION,))),
    )
    page = _Page(result, tmp_path)
    assert "Not run: proofs, faults (left out)." in page.text
    assert page.text.count("left out") == 1
    table = page.within("tbody")
    assert table.index("bad") < table.index("sound")
    console = Console(file=io.StringIO(), width=100)
    show(result, {}, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]  # it was made as a StringIO
    assert said.count("left out") == 1
    assert said.index("bad") < said.index("sound")


def test_quotas_that_are_not_met_are_told_with_the_lanes_and_come_first_in_their_table(tmp_path: Path) -> None:
    coverage = ("call drain: done", 9), ("call open: done", 1)
    floors = {"call drain: done": 5, "call open: done": 2}
    page = _Page(gate(lane("a", replace(SOUND, coverage=coverage), floors), left_out("b")), tmp_path)
    assert "1 of 2 quotas are not met" in page.text
    table = page.within("table")
    assert table.rindex("call open: done") < table.rindex("call drain: done")


def test_a_lane_that_was_left_out_has_no_table_of_zeros(tmp_path: Path) -> None:
    floors = {"call drain: done": 5}
    page = _Page(gate(lane("a", SOUND), replace(left_out("b"), floors=floors)), tmp_path)
    assert "call drain" not in page.text
    assert "b: 1 task" not in page.text


def test_every_cell_of_a_table_that_is_stacked_on_a_phone_says_what_it_is(found: GateResult, tmp_path: Path) -> None:
    page, stacked = _Page(found, tmp_path), []
    for tag, attributes in page.all:
        if tag == "table":
            stacked.append("stack" in str(attributes.get("class")))
        elif tag == "td" and stacked[-1]:
            assert "data-label" in attributes or attributes.get("class") == "claim" or attributes == {}
    assert sum(stacked) >= 5


# ---------------------------------------------------------------------------------------------------------- pictures


def arena(*statuses: Status, looks: tuple[Look, ...] = ()) -> Arena:
    pages = [Page(number, status, f"v{number}", "ticket 4 to read") for number, status in enumerate(statuses)]
    return Arena(0, 1000, [Band("full", 0, 10, 0, len(pages), pages)], [Mark(0, 0, 10, look) for look in looks])


def drawn(before: Arena, after: Arena, folder: Path) -> _Page:
    violation: Violation = replace(VIOLATION, before=before, after=after)
    return _Page(result_of(replace(SOUND, violations=(violation,))), folder)


def test_arenas_that_are_alike_are_drawn_once_where_something_is_marked_and_never_where_not(tmp_path: Path) -> None:
    plain, marked = arena(Status.LIVE), arena(Status.LIVE, looks=(Look.WRONG,))
    assert len(drawn(plain, plain, tmp_path).of("svg")) == 0
    assert len(drawn(plain, marked, tmp_path).of("svg")) == 1
    assert len(drawn(plain, arena(Status.HELD), tmp_path).of("svg")) == 2


def test_a_legend_has_what_is_used_alone_and_held_pages_look_held(tmp_path: Path) -> None:
    page = drawn(arena(Status.HELD), arena(Status.HELD, looks=(Look.WRONG,)), tmp_path)
    assert [each["class"] for each in page.of("i")] == ["held", "wrong"]
    assert [each["class"] for each in page.of("rect")] == ["page held", "grip", "mark wrong"]
    assert "full page 0: held v0, held by ticket 4 to read" in page.text
    assert legend(arena(Status.HELD, looks=(Look.WRONG,))).plain == "▓ held   ^ wrong"


def test_a_drawing_is_as_wide_as_there_is_room_so_that_no_page_is_out_of_sight(tmp_path: Path) -> None:
    band = Band("full", 0, 10, 99, 100, [Page(99, Status.LIVE, "v99")])
    (drawing,) = drawings(Arena(0, 1000, [band]))
    (page,) = drawing.lanes[0].pages
    assert (page.x, page.x + page.width) == (99, 100)
    last = Arena(0, 1000, [band], [Mark(0, 990, 1000, Look.WRONG)])
    (picture,) = drawn(last, last, tmp_path).of("svg")
    assert picture["width"] == "100%"
    assert "viewbox" not in picture
    assert "min-width" not in (tmp_path / "report.html").read_text().partition(".arena {")[2].partition("}")[0]


# -------------------------------------------------------------------------------------------------------- provenance


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (b" M a.py\0?? b c.py\0R  new.py\0old.py\0", "a.py, b c.py, new.py"),
        (b"".join(b" M %d\0" % n for n in range(12)), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"),
        (b" M <script>\xff\0", "<script>\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_a_tree_that_is_not_as_committed_has_its_files_named(
    status: bytes, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(provenance, "_git", lambda *_: status.decode(errors="replace"))
    assert provenance.provenance()["changed"] == said
    page = _Page(result_of(SOUND), tmp_path)
    assert f"says that the tree was not as committed. Changed: {said}" in page.text


def test_of_a_tree_as_committed_nothing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(provenance, "_git", lambda command, *_: "abc\n" if command == "rev-parse" else "")
    assert provenance.provenance()["revision"] == "abc"
    assert "changed" not in provenance.provenance()
    assert "not as committed" not in _Page(result_of(SOUND), tmp_path).text
