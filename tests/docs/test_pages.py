"""The pages of the site: written, linked, drawn from what happened, and self-contained."""

import functools
import re
import shutil
from pathlib import Path

import pytest

from bandgap.documents.admitted import PROSE
from bandgap.documents.glossary import GLOSSARY
from bandgap.documents.linking import with_terms
from bandgap.documents.site import WRITTEN, NoGenerator, build_site, copied, sources
from bandgap.documents.site_style import slug
from bandgap.documents.stories.admission import (
    COMPACTED,
    CROWDED,
    EXAMPLES,
    HELD,
    IN_PLACE_CASE,
    RELAID,
    STEPS,
    WRONG,
    Case,
    decided,
    misled,
    objection,
    retried,
)
from bandgap.documents.stories.life import life_of_a_page
from bandgap.documents.stories.telling import Telling
from bandgap.pictures import Look, Status
from events.trace import lines_of
from impl.plan import COMPACT_ENDS, IN_PLACE, RELAYOUT
from properties.specification import SPECIFICATIONS, changed_actions
from spec.admission.layouts import DEFINITION
from spec.judge.checks import CHECKS
from spec.judge.judge import judge_trace
from tests.docs.links import links_of
from tests.docs.site_links import dead_links
from tests.house.walls import ROOT


@functools.cache
def pages() -> dict[str, str]:
    return dict(sources(ROOT))


ASKED_FOR = re.compile(
    r"""(?:src|href)=["']?(https?:)?//[^"'\s>]+|url\(["']?(https?:)?//|@import\s+["']?(https?:)?//"""
)
"""What a browser would fetch from elsewhere; a link that is only followed is none."""


def test_every_action_and_property_has_a_page() -> None:
    actions = {f"actions/{slug(name)}.md" for whole in SPECIFICATIONS for name in changed_actions(whole)}
    claims = {f"properties/{slug(name)}.md" for whole in SPECIFICATIONS for name in whole.claims}
    of_admission = {f"properties/{slug(name)}.md" for name in PROSE}
    assert actions | claims | of_admission <= set(pages())
    for name in CHECKS:
        assert f": {name}: " in pages()[f"properties/{name}.md"]
        assert "<svg" in pages()[f"properties/{name}.md"]
    for name in actions | claims | of_admission:
        assert pages()[name].count("<svg") >= 2, f"{name} has no example"
        assert "## Example" in pages()[name]
        assert "## Proved" in pages()[name]


def test_words_are_grouped_by_what_they_speak_of_and_linked_to_where_formulas_use_them() -> None:
    arena, device = pages()["words.md"].split("## Words of the arena")[1].split("## Words of the device")
    assert "### holders\n" in arena
    assert "### own_work\n" in device
    assert "`larger(a, b)`" in pages()["words.md"]
    assert "[`holders`](../words.md#holders)" in pages()["actions/complete.md"]
    assert "../words.md" not in pages()["actions/publish.md"]


def test_actions_say_to_which_they_add() -> None:
    assert "to implement" in pages()["actions/index.md"]
    assert "over. This adds to [`complete`](complete.md)." in pages()["actions/index.md"]
    assert pages()["actions/index.md"].count("This adds to") == 7


def test_the_page_on_admission_says_what_a_legal_layout_is() -> None:
    assert len(DEFINITION) == 6
    for sentence in DEFINITION.values():
        assert f"\n{' '.join((sentence.__doc__ or '').split())}\n    " in pages()["admission.md"]
    assert "layout.lo[0] = bottom" in pages()["admission.md"]


def test_the_pages_links_lead_to_pages() -> None:
    for name, text in pages().items():
        if not name.endswith(".md"):
            continue
        for link in links_of(text):
            path = (Path(name).parent / link.split("#")[0]).as_posix()
            resolved = str(Path("/", path).resolve()).lstrip("/") if link[0] != "#" else name
            assert link.startswith("http") or resolved in pages(), f"{name} links to {link}"


def test_a_page_that_names_an_unknown_place_is_an_error(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "docs/pages/life.md").write_text("# Life\n\n{{ nothing_of_this_name }}\n")
    with pytest.raises(Exception, match="nothing_of_this_name"):
        dict(sources(tmp_path))


def test_the_site_is_built_and_asks_for_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = build_site(ROOT, tmp_path)
    built = [path for path in page.parent.rglob("*") if path.suffix in {".html", ".css"}]
    assert {path.relative_to(page.parent).with_suffix(".md").as_posix() for path in built} >= {
        name for name in pages() if name.endswith(".md")
    }
    fetched = [
        (path.name, found.group(0))
        for path in built
        for found in ASKED_FOR.finditer(_without_followed_links(path.read_text()))
    ]
    assert not fetched
    dead, links = dead_links(page.parent)
    assert not dead
    assert links > 10_000
    # what a reader who looks for a word is led to
    found = (page.parent / "searchindex.js").read_text()
    assert '"withheld"' in found
    assert "glossary" in found


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "one.html").write_text('<h1 id="top"><a href="below/two.html#here">x</a><a href="#top">y</a></h1>')
    (tmp_path / "below/two.html").write_text('<p id="here"><a href="../one.html">x</a><a href="https://a.b">z</a></p>')
    assert dead_links(tmp_path) == ([], 3)
    (tmp_path / "below/two.html").write_text('<a href="three.html">x</a><a href="../one.html#low">y</a>')
    dead, _ = dead_links(tmp_path)
    assert sorted(dead) == [
        "below/two.html: ../one.html#low",
        "below/two.html: three.html",
        "one.html: below/two.html#here",
    ]


# ------------------------------------------------------------------------------------------------------------- terms


@pytest.mark.parametrize("name", WRITTEN)
def test_a_page_links_to_a_term_where_it_uses_it_first(name: str) -> None:
    text = pages()[f"{name}.md"]
    used = [match[1] or match[0] for match in re.findall(r"\{term\}`([^`<]*?)(?: <([^>]*)>)?`", text)]
    assert used
    assert len(set(used)) == len(used), "a term is linked to twice"
    assert set(used) <= set(GLOSSARY)


def test_terms_are_linked_to_once_and_not_in_code_links_and_headings() -> None:
    page = "# A page\n\n`page` [page](a.md) pages and a page.\n\n```text\na band\n```\n\n<p>\na hole\n</p>\n\nBands\n"
    assert with_terms(page) == page.replace("pages and", "{term}`pages <page>` and").replace(
        "\nBands", "\n{term}`Bands <band>`"
    )
    assert with_terms("A virtual page.") == "A {term}`virtual page`."
    assert with_terms(with_terms("A virtual page.")) == "A {term}`virtual page`."


def test_what_is_fetched_from_elsewhere_is_found() -> None:
    for text in (
        '<script src="https://cdn.example/x.js">',
        "@import url(//fonts.example/a.css)",
        '<link rel="stylesheet" href="https://fonts.example/a.css">',
    ):
        assert ASKED_FOR.search(_without_followed_links(text)), text
    assert not ASKED_FOR.search(_without_followed_links('<a class="x" href="https://example.org">there</a>'))


def _without_followed_links(html: str) -> str:
    return re.sub(r"<a\b[^>]*>", "", html)


def test_without_its_generator_the_site_says_what_it_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("bandgap.documents.site.find_spec", lambda name: None if name == "furo" else object())
    with pytest.raises(NoGenerator, match="furo"):
        build_site(ROOT, tmp_path)


# ----------------------------------------------------------------------------------------------------------- stories


def test_the_life_of_a_page_ends_where_it_began_under_another_name() -> None:
    chapters = life_of_a_page()
    assert len(chapters) == 7
    seen = []
    for chapter in chapters:
        (mark,) = chapter.moment.arena.marks
        assert mark.look is Look.ACTED_ON
        band = chapter.moment.arena.bands[mark.band]
        at = [page for page in band.pages if band.address(page.number) == mark.begin]
        seen.append((mark.begin, at[0].status if at else None, at[0].label if at else ""))
    begins, statuses, labels = zip(*seen, strict=True)
    live, held, withheld = Status.LIVE, Status.HELD, Status.WITHHELD
    assert statuses == (live, held, live, live, withheld, None, live)
    assert begins[0] == begins[2] != begins[3] == begins[6]
    assert labels[0] == labels[3]


@pytest.mark.parametrize(("case", "step"), [(IN_PLACE_CASE, IN_PLACE), (COMPACTED, COMPACT_ENDS), (RELAID, RELAYOUT)])
def test_each_arena_is_admitted_by_its_step(case: Case, step: int) -> None:
    decision = decided(case)
    assert STEPS[step] in decision.said
    assert decision.before.arena.bands != decision.after.arena.bands
    assert ("copied" in decision.said) == (step != IN_PLACE)


def test_a_refusal_changes_nothing() -> None:
    decision = decided(HELD)
    assert decision.before.arena == decision.after.arena
    assert decision.said == "Refused until ticket 0 retires."


def test_what_a_refusal_asks_for_is_enough() -> None:
    refused, met = retried(CROWDED)
    assert refused.said.startswith("Refused until enough is given up: ")
    assert met.said.startswith("Admitted, ")


@pytest.mark.parametrize("name", PROSE)
def test_the_oracle_objects_to_each_fault_and_to_nothing_else(name: str) -> None:
    assert objection(EXAMPLES[name], "recorder-swaps-two-pages") == ""
    if name in WRONG:
        case, fault = WRONG[name]
        assert objection(case, fault).startswith(f"{name}: ")
        assert misled(case, fault).said != decided(case).said


def test_a_story_ends_when_the_judge_objects() -> None:
    telling = Telling()
    with pytest.raises(AssertionError, match="land band 1, page 3: not so"):
        telling.allocator.land(1, [3])


# ----------------------------------------------------------------------------------------------------------- serving


def test_the_code_for_engines_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # it writes a trace
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/pages/serving.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 7
    exec(compile("\n".join(blocks), "serving.md", "exec"), {})
    said = capsys.readouterr().out
    assert "['state', 'window512', 'full']" in said
    assert "'hold': 3" in said
    with (tmp_path / "serving.trace").open("rb") as file:
        verdict = judge_trace(lines_of(file))
    assert verdict.finding is None
    assert verdict.calls == 1


def test_other_documents_are_pages_and_link_to_nothing_that_is_none(tmp_path: Path) -> None:
    assert "device-facts.md" in pages()
    (tmp_path / "docs/notes").mkdir(parents=True)
    (tmp_path / "docs/one.md").write_text(
        "See [two](notes/two.md#part), [code](../spec/x.py) and [all](semantics.md).\n"
    )
    (tmp_path / "docs/notes/two.md").write_text(
        "Back to [one](../one.md), [there](https://example.org), [here](#part).\n"
    )
    (tmp_path / "docs/semantics.md").write_text("# Generated\n")
    assert copied(tmp_path) == {
        "one.md": "See [two](notes/two.md#part), code and all.\n",
        "notes/two.md": "Back to [one](../one.md), [there](https://example.org), [here](#part).\n",
    }


# ------------------------------------------------------------------------------------------------------------ shapes


def test_legends_name_what_is_drawn_and_nothing_else() -> None:
    admission = pages()["admission.md"]
    assert '<i class="changed"></i>' in admission
    assert '<i class="wrong"></i>' not in admission
    in_place = admission.split("## In place")[1].split("## Compact")[0]
    assert re.findall(r'<i class="([^"]*)"', in_place) == ["live"]
    refused = admission.split("## Refused")[1].split("## Why")[0]
    assert refused.count("<svg") == 1, "what is the same is drawn once"
    assert pages()["actions/move.md"].count('<i class="held"></i>live, and held by a ticket') == 1


def test_findings_are_below_the_page_that_leads_to_them() -> None:
    listed = pages()["index.md"].rpartition(":caption: More")[2].split()
    assert "findings/README" in listed
    assert not [name for name in listed if name.startswith("findings/") and name != "findings/README"]
    below = pages()["findings/README.md"].partition("```{toctree}")[2]
    assert {"sglang-0.5.19", "vllm-0.33.0-external-hit"} <= set(below.split())
