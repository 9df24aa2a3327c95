"""`bandgap view` as it is typed."""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bandgap.traces import records as trace_records
from bandgap.view import pieces as exact
from events import records as r
from events.trace import seal, unseal
from tests.spec.situation import header, snapshot
from tests.view.traces import HOSTILE, ILLEGAL, LEGAL, document, view, written


class _Page(HTMLParser):
    """The elements, the attributes and the scripts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, list[str | None]] = {}
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value)

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(path: Path) -> _Page:
    return _Page(path.read_text())


def test_a_legal_trace_is_drawn(tmp_path: Path) -> None:
    trace, page = written(tmp_path / "a.trace", *LEGAL), tmp_path / "new" / "a.html"
    done = view(trace, "--out", page)
    assert (done.code, done.err) == (0, "")
    assert f"{trace}: legal, 17 lines read\n" in done.out
    assert f"page     {page}\n" in done.out
    said = page_of(page)
    for part in (
        "Legal: every line was judged.",
        "Each page is drawn by itself",
        "window, live",
        "The same in numbers",
    ):
        assert part in said.text
    assert said.tags.count("canvas") == said.tags.count("main") == said.tags.count("noscript") == 1


def test_the_document_of_a_legal_trace(tmp_path: Path) -> None:
    code, said = document(written(tmp_path / "a.trace", *LEGAL), "--out", tmp_path / "a.html")
    assert code == 0
    assert [said[name] for name in ("outcome", "model", "lines", "drawn", "finding")] == [
        "legal",
        "tiny",
        17,
        "pieces",
        None,
    ]
    last = said["samples"][-1]
    assert (last["line"], last["tickets"], last["gap_bytes"]) == (17, 3, 1000 - 300 - 120 - 100)
    assert last["bands"][0] == {
        "name": "state",
        "span_bytes": 300,
        "live_pages": 2,
        "held_pages": 0,
        "withheld_pages": 1,
        "holes": 0,
    }


def test_an_illegal_trace_is_drawn_up_to_its_first_illegal_line(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    trace = written(tmp_path / "a.trace", *ILLEGAL)
    done = view(trace, "--out", page)
    assert done.code == 1
    assert "illegal at line 17: bijection, 16 lines read" in done.out
    assert "what comes before it is drawn; bandgap judge says how it came to that" in done.out
    said = page_of(page)
    assert "illegal at line 17: bijection." in said.text
    assert "What is drawn is what comes before that line." in said.text
    data = json.loads(data_of(page))
    assert data["end"] == 17
    assert max(data["pieces"]["end"]) == 17


def data_of(page: Path) -> str:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text())
    assert found is not None
    return found[1]


def test_a_cut_trace_is_drawn_up_to_the_cut(tmp_path: Path) -> None:
    trace = written(tmp_path / "a.trace", *LEGAL)
    trace.write_bytes(trace.read_bytes()[:-9])
    code, said = document(trace, "--out", tmp_path / "a.html")
    assert (code, said["outcome"], said["finding"]["line"]) == (1, "damaged", 17)
    assert said["drawn"] == "pieces"
    code, said = document(trace, "--out", tmp_path / "a.html", "--lines", ":16")
    assert (code, said["outcome"]) == (0, "legal")


def test_a_trace_whose_beginning_is_illegal_has_nothing_to_draw(tmp_path: Path) -> None:
    trace = written(tmp_path / "a.trace", *LEGAL, opening=(header(capacity=999), snapshot()))
    code, said = document(trace, "--out", tmp_path / "a.html")
    assert (code, said["drawn"], said["finding"]["line"]) == (1, None, 2)
    assert "Nothing legal comes before that line" in page_of(tmp_path / "a.html").text
    assert "nothing legal comes before it, so nothing is drawn" in view(trace, "--out", tmp_path / "a.html").out


def test_a_trace_of_which_records_were_lost_is_inconclusive(tmp_path: Path) -> None:
    trace = written(tmp_path / "a.trace", r.Lost(7), snapshot())
    code, said = document(trace, "--out", tmp_path / "a.html")
    assert (code, said["outcome"], said["lost"]) == (3, "inconclusive", 7)
    assert "7 records of it were lost" in page_of(tmp_path / "a.html").text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["none"], "TRACE = .*: is not there"),
        (["empty"], "TRACE = .*: is no trace that can be judged: line 1: the closing line is missing"),
        (["text"], "TRACE = .*: is no trace that can be judged: line 1: not a whole line of a trace"),
        (["a.trace", "--lines", "5"], "--lines = '5': is no part of a trace; write FROM:TO"),
        (["a.trace", "--lines", "9:5"], "--lines = '9:5': has no line in it"),
        (["a.trace", "--lines", "90:95"], "--lines = 90: the trace has 17 lines"),
        (["a.trace", "--out", "a.trace"], "--out = .*: is the trace itself"),
        (["a.trace", "--out", "x", "--perfetto", "./x"], "--perfetto = 'x': is what --out writes; give another path"),
        (["a.trace", "--perfetto", "none/x"], "--perfetto = .*: cannot be written"),
        (["a.trace", "--memory-viewer", "none/x"], "--memory-viewer = .*: cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_exit_2_in_one_line(
    arguments: list[str], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.trace", *LEGAL)
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("no trace\n")
    before = (tmp_path / "a.trace").read_bytes()
    done = view(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert re.match(f"error: {problem}", done.err)
    assert (tmp_path / "a.trace").read_bytes() == before


def test_an_earlier_file_stays_where_a_new_one_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("earlier")
    (tmp_path / "text").write_text("no trace\n")
    done = view(tmp_path / "text", "--out", tmp_path / "a.html", "--perfetto", tmp_path / "a.json")
    assert done.code == 2
    assert (tmp_path / "a.json").read_text() == "earlier"
    assert {path.name for path in tmp_path.iterdir()} == {"a.json", "text"}


def test_an_interrupt_draws_what_was_read_and_is_inconclusive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(lines: Iterable[bytes], whole: bool) -> Iterator[r.AnyRecord]:
        for number, record in enumerate(unseal(lines, whole)):
            if number == 10:
                raise KeyboardInterrupt
            yield record

    monkeypatch.setattr(trace_records, "unseal", interrupted)
    code, said = document(written(tmp_path / "a.trace", *LEGAL), "--out", tmp_path / "a.html")
    assert (code, said["outcome"], said["lines"], said["drawn"]) == (3, "interrupted", 10, "pieces")
    assert "this is the part before" in page_of(tmp_path / "a.html").text


def test_hostile_names_stay_text_and_run_nothing(tmp_path: Path) -> None:
    bands = [r.Band(HOSTILE + str(at), band.page_bytes, band.origin, 1) for at, band in enumerate(header().bands)]
    opening = header(bands=bands, model=HOSTILE, producer=HOSTILE), snapshot(publishers=[HOSTILE])
    trace = tmp_path / "a.trace"
    trace.write_bytes(b"".join(seal([*opening, r.Unpublish(HOSTILE), r.End(), r.Unpublish(HOSTILE + "?"), r.End()])))
    done = view(trace, "--out", tmp_path / "a.html")
    assert done.code == 1
    said = page_of(tmp_path / "a.html")
    assert "img" not in said.tags
    assert (said.tags.count("script"), said.tags.count("title"), said.tags.count("style")) == (2, 1, 1)
    assert not [name for name in said.attributes if name.startswith("on") or name == "src"]
    assert said.text.count("<img src=x onerror=alert(1)>") >= 5
    assert [band["name"] for band in json.loads(data_of(tmp_path / "a.html"))["bands"]] == [band.name for band in bands]


def test_the_page_needs_nothing_else_and_only_its_own_script_may_run(tmp_path: Path) -> None:
    view(written(tmp_path / "a.trace", *LEGAL), "--out", tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text()
    assert not re.search(r"https?://|@import|url\(", text)
    script = text.rpartition("<script>")[2].rpartition("</script>")[0]
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in text
    assert "default-src 'none'" in text


def test_the_page_can_be_read_by_keyboard_and_without_scripts(tmp_path: Path) -> None:
    view(written(tmp_path / "a.trace", *LEGAL), "--out", tmp_path / "a.html")
    said = page_of(tmp_path / "a.html")
    ids = said.attributes["id"]
    assert len(set(ids)) == len(ids)
    assert {"#numbers", "data:,"} == set(said.attributes["href"])
    assert set(said.attributes["aria-labelledby"]) | set(said.attributes["aria-describedby"]) <= set(ids)
    assert said.attributes["tabindex"] == ["0", "0"]  # the picture, and the table that may be wider than the page
    assert said.tags.count("button") == 3
    assert said.tags.count("tr") == 2 + 15


def test_what_is_too_much_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MOST_PIECES", 5)
    trace = written(tmp_path / "a.trace", *LEGAL)
    done = view(trace, "--out", tmp_path / "a.html")
    assert "too much to draw each page: a cell adds up 1 lines and 4 B; --lines FROM:TO draws a part" in done.out
    assert "The trace is too long to draw each page." in page_of(tmp_path / "a.html").text
    code, said = document(trace, "--out", tmp_path / "a.html")
    assert (code, said["drawn"], said["lines_of_a_cell"], said["bytes_of_a_cell"]) == (0, "grid", 1, 4)
