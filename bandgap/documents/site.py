"""The site: Markdown that is generated into a build folder, and HTML that Sphinx makes of it.

Sphinx with Furo, because both are kept up, take Markdown, and make pages that ask for nothing from anywhere else: no
font, no script, no style is downloaded when a page is read.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from jinja2 import Environment, StrictUndefined

from bandgap.documents.admitted import PROSE, admission_parts, counted_blocks, decision_blocks
from bandgap.documents.catalogue import ActionEntry, Catalogue, PropertyEntry, catalogue
from bandgap.documents.checked import check_parts
from bandgap.documents.drawing import in_svg, of_scene
from bandgap.documents.entries import Style, action_parts, property_parts, word_lines
from bandgap.documents.formulas import promised
from bandgap.documents.glossary import GLOSSARY
from bandgap.documents.linking import with_terms
from bandgap.documents.markdown import bullets, code, fenced, joined, listed, sentence, table
from bandgap.documents.numbers import numbers
from bandgap.documents.precedents import MEANS
from bandgap.documents.scenes.all import example_of
from bandgap.documents.semantics import KIND_TITLES, READING, action_groups, state_blocks
from bandgap.documents.stories import admission
from bandgap.documents.stories.admission import Case, decided
from bandgap.documents.stories.life import life_of_a_page
from bandgap.documents.stories.telling import Telling
from bandgap.documents.trust import trust
from bandgap.pictures import Arena, Status, used
from bandgap.pictures.wording import event
from spec.judge.checks import CHECKS

SETTINGS: Mapping[str, object] = {
    "project": "Bandgap",
    "html_title": "Bandgap",
    "extensions": ["myst_parser"],
    "source_suffix": [".md"],
    "html_theme": "furo",
    "html_theme_options": {"navigation_with_keys": True, "top_of_page_buttons": []},
    "html_static_path": ["_static"],
    "html_css_files": ["site.css", "terms.css"],
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "myst_heading_anchors": 4,
    "pygments_style": "default",
    "pygments_dark_style": "native",
}
"""What Sphinx is told."""

WRITTEN = ("index", "life", "admission", "serving", "prefix", "ranks", "transfer", "host", "speculation", "device")
"""The pages that are written by hand, in `docs/pages`, with places for what is generated."""

GENERATED = ("semantics.md", "trust.md")
"""Documents of `docs` that are generated themselves; of the first the pages of actions and properties are made."""

PICTURES = frozenset({".svg", ".png"})
"""What is copied beside the pages."""

RELATIVE = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?://|#)([^)#\s]+)(#[^)\s]*)?\)")
"""A link to a file."""

LEGEND: Mapping[str, str] = {Status.HELD: "live, and held by a ticket"}
"""What legends call a page or a mark, where that is not its name."""

PICTURE_OF_AN_ARENA = """\
````{container} scroll
```{image} arena.svg
:alt: One arena in address order
:class: whole-arena
```
````"""

OF_ACTIONS = """\
Whatever an allocator does is a sequence of the actions of the arena. A trace tells of these, and the judge reads them:
they are what to implement.

The actions of the device are a second specification: of the same arena, with a device behind it whose accesses are
issued, pending and over one by one. It is there for the proofs, such as that of
[`race-free`](../properties/race-free.md); no allocator implements it, and no trace tells of it. Where the device adds
something to an action, that has a page of its own. Where it adds nothing there is one page for both; an obligation that
is named `device/grow-low` is about [`grow-low`](grow-low.md) with a device added."""


class NoGenerator(Exception):
    """Sphinx or one of its parts is not installed."""


def build_site(root: Path, out: Path) -> Path:
    """Write the sources and build the pages; returns the first page.

    Raises:
        NoGenerator: the group `docs` of dependencies is not installed.
        subprocess.CalledProcessError: Sphinx objects to a page, or finds a link that leads nowhere.
    """
    missing = [name for name in ("sphinx", "furo", "myst_parser") if find_spec(name) is None]
    if missing:
        raise NoGenerator(", ".join(missing))
    source, html = out / "source", out / "html"
    write_sources(root, source)
    shutil.rmtree(html, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", str(out / "doctrees")]
    subprocess.run([*command, str(source), str(html)], check=True, capture_output=True, text=True)
    return html / "index.html"


def write_sources(root: Path, source: Path) -> tuple[Path, ...]:
    """Write everything that Sphinx reads into a folder of its own; returns what was written."""
    shutil.rmtree(source, ignore_errors=True)
    texts = dict(sources(root))
    for name, text in texts.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for picture in (path for path in (root / "docs").rglob("*") if path.suffix in PICTURES):
        there = source / picture.relative_to(root / "docs")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, there)
    return tuple(source / name for name in texts)


def sources(root: Path) -> Iterator[tuple[str, str]]:
    """Every file by its path in the folder of sources."""
    whole = catalogue()
    places = _places()
    for name in WRITTEN:
        text = with_terms(_filled((root / "docs/pages" / f"{name}.md").read_text(), places))
        yield f"{name}.md", joined([text, *_side_bar(root)]) if name == "index" else text
    for name, text in copied(root).items():
        nested = _below(root, name)
        yield name, joined([text.rstrip(), _toctree(nested)]) if nested else text
    yield "trust.md", with_terms(trust().replace("(semantics.md)", "(properties/index.md)"))
    yield "glossary.md", _glossary()
    yield (
        "state.md",
        joined(
            [
                "# The state, and how formulas are read",
                READING.replace("[below](#words)", "[here](words.md)"),
                *state_blocks(),
            ]
        ),
    )
    yield "words.md", _words(whole)
    yield "actions/index.md", _actions(whole)
    for entry in whole.actions.values():
        if not entry.is_base:
            yield f"actions/{slug(entry.name)}.md", with_terms(_action_page(entry))
    yield "properties/index.md", _properties(whole)
    for claim in whole.properties.values():
        yield f"properties/{slug(claim.name)}.md", with_terms(_property_page(claim))
    for name in PROSE:
        yield f"properties/{slug(name)}.md", with_terms(joined([f"# {name}", *admission_parts(name, PAGE)]))
    for name in CHECKS:
        yield f"properties/{slug(name)}.md", with_terms(joined([f"# {name}", *check_parts(name, PAGE)]))
    for name in ("site.css", "terms.css"):
        yield f"_static/{name}", (Path(__file__).parent / name).read_text()
    yield "conf.py", "".join(f"{name} = {value!r}\n" for name, value in SETTINGS.items())


def copied(root: Path) -> Mapping[str, str]:
    """The other documents of `docs`, which become pages as they are; what they link to outside becomes plain text."""
    paths = {path.relative_to(root / "docs").as_posix(): path for path in sorted((root / "docs").rglob("*.md"))}
    kept = {name: path for name, path in paths.items() if name not in GENERATED and not name.startswith("pages/")}

    def linked(name: str, found: re.Match[str]) -> str:
        there = os.path.normpath((PurePosixPath(name).parent / found[2]).as_posix())
        return found[0] if there in kept or there in GENERATED[1:] else found[1]

    return {name: RELATIVE.sub(partial(linked, name), path.read_text()) for name, path in kept.items()}


def _below(root: Path, name: str) -> list[str]:
    """The documents of a folder, if this is the one that leads to them."""
    path = PurePosixPath(name)
    if path.name != "README.md":
        return []
    others = [PurePosixPath(other) for other in copied(root) if other != name]
    return [other.stem for other in others if other.parent == path.parent]


def slug(name: str) -> str:
    """The name of the file of an action or a property."""
    return name.replace("/", "-")


# ------------------------------------------------------------------------------------------------------------ places


def _places() -> Mapping[str, object]:
    arena = Telling().allocator.header()
    return {
        "picture_of_an_arena": PICTURE_OF_AN_ARENA,
        "numbers": numbers(),
        "arena_bytes": f"{arena.capacity:,}",
        "sink_bytes": f"{arena.base:,}",
        "life": _life(),
        "legal_layout": fenced(promised.legal_layout()),
        "in_place": _decision(admission.IN_PLACE_CASE),
        "compacted": _decision(admission.COMPACTED),
        "relaid": _decision(admission.RELAID),
        "refused": _decision(admission.HELD),
        "action": _action_example,
    }


def _filled(text: str, places: Mapping[str, object]) -> str:
    """A page with its places filled; one that is not known is an error."""
    environment = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    return environment.from_string(text).render(places)


def _life() -> str:
    chapters = life_of_a_page()
    drawn = in_svg(*[chapter.moment.arena for chapter in chapters], said=[chapter.title for chapter in chapters])
    blocks = [_legend(*[chapter.moment.arena for chapter in chapters])]
    for number, (chapter, picture) in enumerate(zip(chapters, drawn, strict=True), 1):
        said = bullets(sentence(line) for line in chapter.moment.said)
        blocks += [
            f"## {number}. {chapter.title}",
            chapter.text,
            _scroll(picture),
            _details("What was asked and done", said),
        ]
    return joined(blocks)


def _decision(case: Case) -> str:
    return joined(decision_blocks(decided(case), PAGE))


def _action_example(name: str) -> str:
    shown = example_of(name)
    before, after = of_scene(shown)
    return _draw([("before", before), ("after", after)], event(shown.example))


# ------------------------------------------------------------------------------------------------------------- pages


def _action_page(entry: ActionEntry) -> str:
    return joined([f"# {entry.name}", *action_parts(entry, PAGE)])


def _property_page(entry: PropertyEntry) -> str:
    counted = counted_blocks(PAGE) if entry.name == "conservation" else ()
    return joined([f"# {entry.name}", *property_parts(entry, PAGE), *counted])


def _actions(whole: Catalogue) -> str:
    blocks = ["# Actions", OF_ACTIONS]
    for title, entries in action_groups(whole):
        rows = [(f"[{code(entry.name)}]({slug(entry.name)}.md)", _summary(entry)) for entry in entries]
        blocks += [f"## {title}", table(("action", "what happens"), rows)]
    return joined([*blocks, _toctree([slug(e.name) for e in whole.actions.values() if not e.is_base])])


def _summary(entry: ActionEntry) -> str:
    """What an action says in a table; of one that adds to another, to which."""
    added_to = entry.name.removeprefix(entry.specification.prefix)
    if entry.specification.base is None or added_to not in entry.specification.base.actions:
        return entry.action.prose
    return f"{entry.action.prose} This adds to [{code(added_to)}]({slug(added_to)}.md)."


def _properties(whole: Catalogue) -> str:
    blocks = ["# Properties", "What is always true.", MEANS]
    for kind, title in KIND_TITLES.items():
        rows = [
            (f"[{code(name)}]({slug(name)}.md)", entry.claim.prose)
            for name, entry in whole.properties.items()
            if entry.kind == kind
        ]
        blocks += [f"## {title}", table(("property", "says"), rows)]
    of_admission = [(f"[{code(name)}]({slug(name)}.md)", prose) for name, prose in PROSE.items()]
    blocks += ["## Properties of admission", table(("property", "says"), of_admission)]
    checks = [(f"[{code(name)}]({slug(name)}.md)", prose) for name, prose in CHECKS.items()]
    blocks += ["## Checks of the judge", table(("check", "says"), checks)]
    return joined([*blocks, _toctree([slug(name) for name in (*whole.properties, *PROSE, *CHECKS)])])


def _words(whole: Catalogue) -> str:
    blocks = [
        "# Words",
        "The formulas of actions and properties are written in these. Each is a short name for what its formula says; "
        "of a range, such as `ticket in holders(band, page)`, the formula says what its members are. One more is used "
        "everywhere: `larger(a, b)` is the stronger of two ways to use a page, nothing < read < write.",
    ]
    for of in sorted({word.of for word in whole.words.values()}):
        blocks.append(f"## Words of the {of}")
        for word in whole.words.values():
            if word.of == of:
                blocks += [f"### {word.name}", fenced(word_lines(word.call, word.prose, word.formula)[:-1])]
    return joined(blocks)


def _glossary() -> str:
    terms = [line for term, meaning in sorted(GLOSSARY.items()) for line in (term, f"  {meaning}", "")]
    said = "Where a page uses one of these for the first time, it links here."
    return joined(["# Glossary", said, "\n".join(["```{glossary}", *terms[:-1], "```"])])


def _side_bar(root: Path) -> Iterator[str]:
    parts: dict[str, Sequence[str]] = {
        "Read": (
            "life",
            "admission",
            "serving",
            "prefix",
            "ranks",
            "transfer",
            "host",
            "speculation",
            "device",
            "glossary",
        ),
        "Look up": ("actions/index", "properties/index", "state", "words"),
        "Trust": ("trust",),
        "More": [path.with_suffix("").as_posix() for path in map(PurePosixPath, copied(root)) if _leads(path)],
    }
    yield from (_toctree(names, title) for title, names in parts.items())


def _leads(path: PurePosixPath) -> bool:
    """What lies in a folder is found below its README."""
    return len(path.parts) == 1 or path.name == "README.md"


def _toctree(names: Sequence[str], caption: str = "") -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["```{toctree}", *options, "", *names, "```"])


# ------------------------------------------------------------------------------------------------------------- style


def _link(name: str) -> str:
    folder = "actions" if name in catalogue().actions else "properties"
    return f"[{code(name)}](../{folder}/{slug(name)}.md)"


def _word_links(names: Sequence[str]) -> str:
    return f"Its words: {listed([f'[{code(name)}](../words.md#{name})' for name in names])}."


def _draw(arenas: Sequence[tuple[str, Arena]], between: str) -> str:
    pictures = in_svg(*[arena for _, arena in arenas], said=[said for said, _ in arenas])
    happened = between if between.endswith(".") else code(between)
    blocks = []
    for number, ((said, _), picture) in enumerate(zip(arenas, pictures, strict=True)):
        if number:
            blocks.append(happened)
        blocks.append(_scroll(f'<div class="said">{said}</div>\n{picture}'))
    return joined([*blocks, _legend(*[arena for _, arena in arenas])]).rstrip()


def _legend(*arenas: Arena) -> str:
    """What is drawn in these arenas, and nothing else."""
    statuses, looks = used(*arenas)
    items = [
        f'<li><i class="{name.replace(" ", "-")}"></i>{LEGEND.get(name, name)}</li>' for name in (*statuses, *looks)
    ]
    return _scroll(f'<ul class="legend">{"".join(items)}</ul>')


def _scroll(html: str) -> str:
    return f'<div class="scroll">\n{html}\n</div>'


def _details(title: str, text: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"


PAGE = Style(
    link=_link,
    draw=_draw,
    heading=lambda title: f"## {title}",
    fold=_details,
    proof="[What a green proof means](../trust.md).",
    words=_word_links,
    how_to_read="[How formulas are read](../state.md), and what a state is made of.",
)
