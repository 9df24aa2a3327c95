"""Links and anchors of Markdown."""

import re

from bandgap.documents.markdown import anchor

LINK = re.compile(r"(?<!\!)\[[^\]]+\]\(([^)\s]+)\)")


def links_of(text: str) -> list[str]:
    """Where the links of a document lead."""
    return LINK.findall(_without_code(text))


def anchors_of(text: str) -> set[str]:
    """What a forge makes of the headings of a document; each once, or a link would lead to the first only."""
    headings = [line.lstrip("#").strip() for line in _without_code(text).splitlines() if line.startswith("#")]
    anchors = [anchor(heading) for heading in headings]
    assert len(set(anchors)) == len(anchors), "two headings have the same anchor"
    return set(anchors)


def _without_code(text: str) -> str:
    return "".join(part for number, part in enumerate(text.split("```")) if number % 2 == 0)
