"""How the pages of the site link and draw: SVG, legends, and what is folded away."""

from collections.abc import Mapping, Sequence

from bandgap.documents.catalogue import catalogue
from bandgap.documents.drawing import in_svg
from bandgap.documents.entries import Style
from bandgap.documents.markdown import code, joined
from bandgap.phrases import listed
from bandgap.pictures import Arena, Status, used

LEGEND: Mapping[str, str] = {Status.HELD: "live, and held by a ticket"}
"""What legends call a page or a mark, where that is not its name."""


def slug(name: str) -> str:
    """The name of the file of an action or a property."""
    return name.replace("/", "-")


def _link(name: str) -> str:
    folder = "actions" if name in catalogue().actions else "properties"
    return f"[{code(name)}](../{folder}/{slug(name)}.md)"


def _word_links(names: Sequence[str]) -> str:
    return f"Its words: {listed([f'[{code(name)}](../words.md#{name})' for name in names])}."


def draw(arenas: Sequence[tuple[str, Arena]], between: str) -> str:
    """Arenas below each other, each with what it is called, and what happens between them."""
    pictures = in_svg(*[arena for _, arena in arenas], said=[said for said, _ in arenas])
    happened = between if between.endswith(".") else code(between)
    blocks = []
    for number, ((said, _), picture) in enumerate(zip(arenas, pictures, strict=True)):
        if number:
            blocks.append(happened)
        blocks.append(scroll(f'<div class="said">{said}</div>\n{picture}'))
    return joined([*blocks, legend(*[arena for _, arena in arenas])]).rstrip()


def legend(*arenas: Arena) -> str:
    """What is drawn in these arenas, and nothing else."""
    statuses, looks = used(*arenas)
    items = [
        f'<li><i class="{name.replace(" ", "-")}"></i>{LEGEND.get(name, name)}</li>' for name in (*statuses, *looks)
    ]
    return scroll(f'<ul class="legend">{"".join(items)}</ul>')


def scroll(html: str) -> str:
    """HTML that scrolls by itself where it is wider than the page."""
    return f'<div class="scroll">\n{html}\n</div>'


def details(title: str, text: str) -> str:
    """Text behind a title, to be unfolded."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"


PAGE = Style(
    link=_link,
    draw=draw,
    heading=lambda title: f"## {title}",
    fold=details,
    proof="[What a green proof means](../trust.md).",
    words=_word_links,
    how_to_read="[How formulas are read](../state.md), and what a state is made of.",
)
