"""Pieces of Markdown."""

import re
from collections.abc import Iterable, Sequence


def fenced(lines: Iterable[str], language: str = "text") -> str:
    """Lines as they are."""
    return "\n".join([f"```{language}", *(line.rstrip() for line in lines), "```"])


def code(text: str) -> str:
    """A word as it is."""
    return f"`{text}`"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; empty text if it has no row."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(heads), _row(["---"] * len(heads)), *lines]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def bullets(items: Iterable[str]) -> str:
    """A list of items."""
    return "\n".join(f"- {item}" for item in items)


def indented(text: str, columns: int = 3) -> str:
    """A block inside an item of a list."""
    return "\n".join(" " * columns + line if line else "" for line in text.splitlines())


def joined(blocks: Iterable[str]) -> str:
    """Blocks with an empty line between them; empty ones are left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def anchor(heading: str) -> str:
    """What forges make of a heading, to link to it."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.replace(" ", "-")


def sentence(text: str) -> str:
    """The text with a capital at the beginning and a stop at the end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
