"""The pages in a real browser, for `make test-browser`, not `make test`.

A missing browser is a failure here, not an excuse. What needs no browser is tested where the pages are made.
"""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from bandgap.documents.site import build_site
from bandgap.gate.violation import Violation
from bandgap.history import Entry, History
from bandgap.pictures import Arena, Band, Look, Mark, Page, Status
from bandgap.reports.html import write_html
from bandgap.view import pieces as exact
from tests.gate.samples import SOUND, VIOLATION, result_of
from tests.house.walls import ROOT
from tests.spec.situation import header, snapshot
from tests.view.traces import HOSTILE, LEGAL, view, written

BROWSERS = "chromium", "chromium-browser", "google-chrome", "chrome"
PHONE = 390
"""CSS pixels."""

# The page is looked at from a frame around it, for it may run no script but its own.
FRAME = """<!doctype html>
<iframe id="page" src="file://{page}" style="border: 0; width: {width}px; height: 900px"></iframe>
<pre id="found"></pre>
<script>
document.getElementById("page").addEventListener("load", () => {{
  const page = document.getElementById("page").contentDocument, found = {{}};
  const press = (element, key) => element.dispatchEvent(
    new element.ownerDocument.defaultView.KeyboardEvent("keydown", {{ key, bubbles: true, cancelable: true }}));
  {look}
  document.getElementById("found").textContent = JSON.stringify(found);
}});
</script>
"""

EVERYWHERE = """
  const root = page.documentElement;
  found.wider = root.scrollWidth > root.clientWidth;
  found.images = page.images.length;
  found.title = page.title;
  // what lies in closed details comes into reach once they are opened
  page.querySelectorAll("details").forEach((each) => { each.open = true; });
  const focusable = [...page.querySelectorAll("a[href], button, summary, [tabindex]")]
    .filter((each) => each.tabIndex >= 0);
  found.first = focusable[0].textContent;
  found.reached = focusable.every((each) => { each.focus(); return page.activeElement === each; });
  const overflow = (each) => page.defaultView.getComputedStyle(each).overflowX;
  const scrolls = [...page.querySelectorAll("*")]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && ["auto", "scroll"].includes(overflow(each)));
  found.scrolls = scrolls.every((each) => each.tabIndex >= 0);
  found.ground = page.defaultView.getComputedStyle(page.body).backgroundColor;
"""

VIEW = """
  const canvas = page.getElementById("arena"), here = page.getElementById("here");
  found.drawn = canvas.dataset.drawn;
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let at = 0; at < pixels.length; at += 4) colours.add(pixels.slice(at, at + 4).join(","));
  found.colours = colours.size;
  press(canvas, "ArrowDown");
  found.here = here.textContent;
  const window_ = page.getElementById("window");
  found.all = window_.textContent;
  press(canvas, "+");
  found.part = window_.textContent;
  press(canvas, "Home");
  found.again = window_.textContent;
  for (let at = 0; at < 60; at++) press(canvas, "ArrowDown");
  for (let at = 0; at < 60; at++) press(canvas, "ArrowLeft");
  found.corner = here.textContent;
"""


POINTER = """
  const canvas = page.getElementById("arena"), theirs = page.defaultView, box = canvas.getBoundingClientRect();
  const pen = theirs.CanvasRenderingContext2D.prototype, fillRect = pen.fillRect, stroke = pen.stroke;
  let filled = 0, stroked = 0;
  pen.fillRect = function (...all) { filled++; return fillRect.apply(this, all); };
  pen.stroke = function (...all) { stroked++; return stroke.apply(this, all); };
  const at = (x, y) => ({ clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerType: "mouse" });
  canvas.dispatchEvent(new theirs.PointerEvent("pointermove", at(150, 60)));
  canvas.dispatchEvent(new theirs.PointerEvent("pointermove", at(300, 90)));
  found.moved = filled;
  found.cursor = stroked;
  found.here = page.getElementById("here").textContent;
  page.getElementById("in").click();
  found.zoomed = filled;
"""


def browser() -> str:
    found = [path for name in BROWSERS if (path := shutil.which(name))]
    assert found, f"no browser is there: one of {', '.join(BROWSERS)} must be on PATH"
    return found[0]


def looked_at(page: Path, look: str, width: int = 1000, dark: bool = False) -> dict[str, Any]:
    """What a script finds in a page that is so wide."""
    frame = page.with_name("frame.html")
    frame.write_text(FRAME.format(page=page, width=width, look=look))
    profile = page.with_name("profile")
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-web-security"]
    command += [f"--user-data-dir={profile}", "--virtual-time-budget=5000", "--window-size=1200,1000"]
    command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom", f"file://{frame}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    text = re.search(r'<pre id="found">(.+?)</pre>', done.stdout)
    assert text is not None, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(unescape(text[1]))
    return found


def violation() -> Violation:
    band = Band(HOSTILE, 0, 10, 0, 40, [Page(page, Status.LIVE, f"v{page}") for page in range(40)])
    arena = Arena(0, 400, [band], [Mark(0, 0, 10, Look.WRONG)])
    entries = (Entry(5, 1, HOSTILE, "id 7 is handed out"), Entry(123_456, 99_999, "x" * 200, f"here {HOSTILE} breaks"))
    history = History(123_456, 99_999, HOSTILE, HOSTILE, (HOSTILE,), entries)
    return replace(
        VIOLATION, check=HOSTILE, problem=HOSTILE, code="x" * 500, history=history, before=arena, after=arena
    )


@pytest.fixture
def report(tmp_path: Path) -> Path:
    write_html(result_of(replace(SOUND, violations=(violation(),), notes=("y" * 300,))), tmp_path / "report.html")
    return tmp_path / "report.html"


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    opening = header(model=HOSTILE, producer="z" * 150), snapshot()
    assert view(written(tmp_path / "a.trace", *LEGAL, opening=opening), "--out", tmp_path / "a.html").code == 0
    return tmp_path / "a.html"


@pytest.mark.parametrize("name", ["report", "drawn"])
@pytest.mark.parametrize("width", [PHONE, 1000])
def test_a_page_is_no_wider_than_the_screen_and_all_of_it_is_reached_by_keyboard(
    name: str, width: int, request: pytest.FixtureRequest
) -> None:
    found = looked_at(request.getfixturevalue(name), EVERYWHERE, width)
    assert not found["wider"]
    assert found["images"] == 0
    assert found["title"].startswith("bandgap ")
    assert found["first"].startswith("To ")
    assert found["reached"]
    assert found["scrolls"]


@pytest.mark.parametrize("name", ["report", "drawn"])
def test_a_page_is_light_or_dark_as_the_reader_likes(name: str, request: pytest.FixtureRequest) -> None:
    page = request.getfixturevalue(name)
    grounds = [looked_at(page, EVERYWHERE, dark=dark)["ground"] for dark in (False, True)]
    assert grounds == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]


@pytest.mark.parametrize("width", [PHONE, 1000])
def test_the_arena_is_drawn_and_told_by_keyboard(width: int, drawn: Path) -> None:
    found = looked_at(drawn, VIEW, width)
    assert found["drawn"] == "9 pieces"
    assert found["colours"] > 8
    assert found["here"].startswith("Line 10, byte 475: gap, free for any kind.")
    assert found["all"] == found["again"] != found["part"]
    assert found["corner"].startswith("Line 3: page 0 of “state”, 100 B from byte 0: live as id 10.")
    assert "lines 3 to 17: live as id 10" in found["corner"]


def test_the_grid_is_drawn_and_told_by_keyboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MOST_PIECES", 5)
    assert view(written(tmp_path / "a.trace", *LEGAL), "--out", tmp_path / "a.html").code == 0
    found = looked_at(tmp_path / "a.html", VIEW)
    assert found["drawn"] == "15 columns"
    assert found["colours"] > 8
    assert found["corner"].startswith("Line 3, bytes 0 to 4: all “state” live.")


def test_a_page_that_is_too_wide_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "wide.html"
    page.write_text('<a href="#">To it</a><div style="width: 500px">wide</div>')
    assert looked_at(page, EVERYWHERE, PHONE)["wider"]


@pytest.mark.parametrize("most", [exact.MOST_PIECES, 5], ids=["pieces", "grid"])
def test_a_pointer_that_moves_has_only_the_cursor_drawn_again(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "MOST_PIECES", most)
    assert view(written(tmp_path / "a.trace", *LEGAL), "--out", tmp_path / "a.html").code == 0
    found = looked_at(tmp_path / "a.html", POINTER)
    assert found["moved"] == 0
    assert found["zoomed"] > 5
    assert found["here"].startswith("Line")
    assert found["cursor"] > 0


# ------------------------------------------------------------------------------------------------------ the documents

LOOK = """
  const root = page.documentElement;
  found.wider = root.scrollWidth > root.clientWidth;
  found.ground = page.defaultView.getComputedStyle(page.body).backgroundColor;
  const drawn = [...page.querySelectorAll("svg.arena, img.whole-arena")];
  found.pictures = drawn.filter((each) => each.matches("svg")).length;
  found.squeezed = drawn.filter((each) => each.getBoundingClientRect().width < 560).length;
  found.terms = page.querySelectorAll("a .std-term").length;
  // what is folded away is no wider either
  page.querySelectorAll("details").forEach((each) => { each.open = true; });
  found.unfolded = root.scrollWidth > root.clientWidth;
"""

DRAWN = {
    "index": 0,
    "life": 7,
    "admission": 7,
    "serving": 0,
    "trust": 0,
    "actions/move": 2,
    "properties/no-overlap": 2,
    "properties/honest-refusal": 2,
    "properties/conservation": 2,
}
"""Pages of the site, and how many arenas are drawn on each."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(ROOT, tmp_path_factory.mktemp("site")).parent


@pytest.mark.parametrize("name", DRAWN)
def test_a_document_is_no_wider_than_a_phone_and_drawn_in_light_and_dark(name: str, site: Path) -> None:
    page = site / f"{name}.html"
    grounds = set()
    for width, dark in ((PHONE, False), (1000, True)):
        found = looked_at(page, LOOK, width, dark)
        assert not found["wider"]
        assert not found["unfolded"]
        assert found["pictures"] == DRAWN[name]
        assert not found["squeezed"], "pages and labels run together"
        assert found["terms"]
        grounds.add(found["ground"])
    assert len(grounds) == 2


def test_who_looks_for_a_term_is_led_to_what_it_says(site: Path) -> None:
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"]
    done = subprocess.run(
        [*command, f"file://{site}/search.html?q=withheld"], capture_output=True, text=True, check=True, timeout=120
    )
    results = re.findall(r'<li class="kind-[^"]*"><a href="([^"]+)"', done.stdout)
    assert len(results) > 20
    assert results[0] == "glossary.html#term-withheld"
