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

from bandgap.documents.admitted import PROSE, admission_parts
from bandgap.documents.catalogue import catalogue
from bandgap.documents.checked import check_parts
from bandgap.documents.linking import with_terms
from bandgap.documents.markdown import joined
from bandgap.documents.semantics import READING, state_blocks
from bandgap.documents.site_pages import (
    action_page,
    actions_page,
    glossary_page,
    properties_page,
    property_page,
    toctree,
    words_page,
)
from bandgap.documents.site_places import filled, places
from bandgap.documents.site_style import PAGE, slug
from bandgap.documents.trust import trust
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
    known = places()
    for name in WRITTEN:
        text = with_terms(filled((root / "docs/pages" / f"{name}.md").read_text(), known))
        yield f"{name}.md", joined([text, *_side_bar(root)]) if name == "index" else text
    for name, text in copied(root).items():
        nested = _below(root, name)
        yield name, joined([text.rstrip(), toctree(nested)]) if nested else text
    yield "trust.md", with_terms(trust().replace("(semantics.md)", "(properties/index.md)"))
    yield "glossary.md", glossary_page()
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
    yield "words.md", words_page(whole)
    yield "actions/index.md", actions_page(whole)
    for entry in whole.actions.values():
        if not entry.is_base:
            yield f"actions/{slug(entry.name)}.md", with_terms(action_page(entry))
    yield "properties/index.md", properties_page(whole)
    for claim in whole.properties.values():
        yield f"properties/{slug(claim.name)}.md", with_terms(property_page(claim))
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
    yield from (toctree(names, title) for title, names in parts.items())


def _leads(path: PurePosixPath) -> bool:
    """What lies in a folder is found below its README."""
    return len(path.parts) == 1 or path.name == "README.md"
