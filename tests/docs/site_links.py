"""Links of built pages: where each leads, and whether that is there."""

import os
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of one."""
        said = dict(attrs)
        link, anchor = said.get("href"), said.get("id")
        if tag == "a" and link:
            self.links.append(link)
        if anchor:
            self.anchors.add(anchor)


def dead_links(html: Path) -> tuple[list[str], int]:
    """The links inside a site that lead to no page, or to no place in it, and how many there are in all."""
    pages = {path.relative_to(html).as_posix(): Links(path.read_text()) for path in html.rglob("*.html")}
    inside = [
        (name, link) for name, page in pages.items() for link in page.links if not link.startswith(("http", "mailto:"))
    ]
    return [f"{name}: {link}" for name, link in inside if not _leads(pages, name, link)], len(inside)


def _leads(pages: dict[str, Links], name: str, link: str) -> bool:
    path, _, anchor = link.partition("#")
    there = os.path.normpath(os.path.join(os.path.dirname(name), unquote(path))) if path else name
    return there in pages and (not anchor or unquote(anchor) in pages[there].anchors)
