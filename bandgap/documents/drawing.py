"""Played scenes as pictures: text for forges, SVG for pages."""

from collections.abc import Sequence
from dataclasses import replace

from bandgap.documents.scenes.stage import Broken, Shown
from bandgap.pictures import Arena, strips
from bandgap.pictures.examples import before_and_after
from bandgap.reports.drawn import drawings
from bandgap.reports.templating import templates
from properties.examples import Example
from properties.plain import Member

COLUMNS = 92
"""The width of a picture in text."""


def pictures(example: Example, names: Sequence[str], culprits: Sequence[Member] = ()) -> tuple[Arena, Arena]:
    """Before and after, with the bands' names."""
    before, after = before_and_after(example, culprits)
    return _named(before, names), _named(after, names)


def of_offence(broken: Broken) -> tuple[Arena, Arena]:
    """Before an offence, and after it was done all the same."""
    first, last = broken.examples[0], broken.examples[-1]
    return pictures(replace(first, after=last.after), broken.names, broken.culprits)


def of_scene(shown: Shown) -> tuple[Arena, Arena]:
    """Before and after a legal step."""
    return pictures(shown.example, shown.names)


def in_text(*arenas: Arena) -> list[list[str]]:
    """Each arena as lines, all on one scale."""
    return [strip.plain.splitlines() for strip in strips(*arenas, width=COLUMNS)]


def in_svg(*arenas: Arena, said: Sequence[str]) -> list[str]:
    """Each arena as an SVG element for a page that has the styles, all on one scale; `said` names each."""
    macro = templates().get_template("arena.html.jinja").module.arena  # type: ignore[attr-defined]  # jinja's modules
    drawn = [str(macro(drawing, name)) for drawing, name in zip(drawings(*arenas), said, strict=True)]
    # an empty line would end the block of HTML
    return ["\n".join(line for line in text.splitlines() if line.strip()) for text in drawn]


def _named(arena: Arena, names: Sequence[str]) -> Arena:
    if not names:
        return arena
    bands = [
        replace(band, name=f"{number} {name}")
        for number, (band, name) in enumerate(zip(arena.bands, names, strict=True))
    ]
    return replace(arena, bands=bands)
