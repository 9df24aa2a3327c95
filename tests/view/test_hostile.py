"""Names from outside neither steer a terminal nor turn a page round, wherever they come from; old traces are drawn."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bandgap.output import printable, short_name, visible
from bandgap.pictures import Arena, Band, strips
from bandgap.reports.drawn import drawings
from bandgap.reports.templating import templates
from events import records as r
from tests.spec.situation import header, snapshot
from tests.view.traces import ILLEGAL, LEGAL, document, judge, view, written

NAME = "\u202ecod.exe\u2066\x00\n\t\x1b[31m\x7f\u2028\u200f" + "w" * 150
"""Turns text round, clears what comes before, colours what comes after, breaks lines, and is long."""

CORPUS = Path(__file__).parents[1] / "events" / "corpus"


def opening() -> tuple[r.Header, r.Snapshot]:
    bands = [r.Band(f"{NAME}{number}", band.page_bytes, band.origin, 1) for number, band in enumerate(header().bands)]
    return header(bands=bands, model=NAME, producer=NAME), snapshot()


def steering(text: str) -> set[str]:
    """The characters of a text that are no plain ones."""
    return {character for character in text if not character.isprintable() and character not in "\n\t"}


@pytest.mark.parametrize("records", [LEGAL, ILLEGAL], ids=["legal", "illegal"])
def test_a_page_has_nothing_that_turns_round_or_hides(records: tuple[Any, ...], tmp_path: Path) -> None:
    trace = written(tmp_path / "\u202etrace\x1b[31m\n.trace", *records, opening=opening())
    done = view(trace, "--out", tmp_path / "a.html")
    assert done.code in {0, 1}
    assert steering(done.out) == set()
    page = (tmp_path / "a.html").read_text()
    assert steering(page) == set()
    assert page.count(r"\u202ecod.exe\u2066\x00") >= 3


def test_what_the_judge_prints_steers_no_terminal_and_its_picture_stays_narrow(tmp_path: Path) -> None:
    done = judge(written(tmp_path / "a.trace", *ILLEGAL, opening=opening()))
    assert done.code == 1
    assert steering(done.out) == set()
    lanes = [line for line in done.out.splitlines() if line.startswith(r"\u202ecod")]
    assert len(lanes) == 3
    assert max(map(len, lanes)) <= 100


def test_a_file_whose_name_is_no_text_is_judged_and_drawn(tmp_path: Path) -> None:
    name = os.fsdecode(b"a\xff\xe2\x80.trace")
    trace = written(tmp_path / name, *LEGAL)
    code, said = document(trace, "--out", tmp_path / "a.html")
    assert (code, said["trace"]) == (0, str(trace))
    done = judge(trace, "--json")
    assert (done.code, json.loads(done.out)["trace"]) == (0, str(trace))
    assert view(trace, tmp_path, "--out", tmp_path / "a.html").code == 2
    assert r"a\udcff\udce2\udc80.trace" in (tmp_path / "a.html").read_text()


def test_names_have_little_room_in_pictures() -> None:
    arena = Arena(0, 100, [Band(NAME, 0, 10, 0, 4), Band("full", 0, 10, 6, 10)])
    (strip,) = strips(arena, width=80)
    assert steering(strip.plain) == set()
    assert max(map(len, strip.plain.splitlines())) <= 80
    (drawing,) = drawings(arena)
    assert [len(lane.name) for lane in drawing.lanes] == [24, 4]


def test_what_a_page_is_made_of_is_visible_and_stays_what_it_was() -> None:
    page = (
        templates()
        .from_string("{{ one }}|{{ two | safe }}|{{ three }}|{{ four }}")
        .render(one=f"<b>{NAME}", two="<i>\u202e</i>", three="a = 1\n\tb", four=7)
    )
    assert page.startswith(r"&lt;b&gt;\u202ecod.exe\u2066\x00")
    assert page.endswith("|<i>\\u202e</i>|a = 1\n\tb|7")
    assert visible("a\n\tb") == "a\n\tb"
    assert printable("a\n") == r"a\n"
    assert short_name("x" * 24) == "x" * 24
    assert short_name("x" * 25) == "x" * 17 + "…" + "x" * 6


@pytest.mark.parametrize("name", sorted(path.name for path in CORPUS.glob("version-*")))
def test_traces_of_every_version_are_drawn(name: str, tmp_path: Path) -> None:
    code, said = document(CORPUS / name, "--unfinished", "--out", tmp_path / "a.html")
    assert (code, said["outcome"]) == ((3, "inconclusive") if "lost" in name else (0, "legal"))
    assert said["drawn"] == "pieces"
    assert said["goes_on_in"] == ("version-2-2.trace" if name == "version-2.trace" else None)


def test_the_files_of_an_old_trace_are_drawn_as_one(tmp_path: Path) -> None:
    code, said = document(CORPUS / "version-2-2.trace", CORPUS / "version-2.trace", "--out", tmp_path / "a.html")
    assert (code, said["lines"], said["goes_on_in"]) == (0, 75 + 54, None)
