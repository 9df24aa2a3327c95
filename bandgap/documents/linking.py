"""Terms of the glossary: where a page uses one for the first time, it links to what it says."""

import re
from collections.abc import Iterator

from bandgap.documents.glossary import GLOSSARY

TOO_COMMON = frozenset({"access", "entry", "float", "free", "live", "reference", "retire", "row", "gate", "kind"})
"""Terms that are words of every day as well; who means them says so."""

ENDINGS = r"(?:s|es)?"

TERMS = tuple(sorted((term for term in GLOSSARY if term not in TOO_COMMON), key=len, reverse=True))
"""The terms that are looked for, longer ones first, so that a virtual page is not taken for a page."""

TERM = re.compile(rf"\b({'|'.join(re.escape(term) for term in TERMS)}){ENDINGS}\b", re.IGNORECASE)

PLAIN = re.compile(r"`[^`]*`|!?\[[^\]]*\]\([^)]*\)|\{[^}]*\}|<[^>]*>")
"""What is left alone in a line: code, links and pictures, roles, and tags."""


def with_terms(page: str) -> str:
    """A page of Markdown in which the first use of each term is a link to the glossary."""
    return "".join(_lines(page))


def _lines(page: str) -> Iterator[str]:
    told: set[str] = set()
    in_code = in_html = False
    for line in page.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            in_code = not in_code
            yield line
            continue
        # a block of HTML ends with an empty line
        in_html = not in_code and (line.startswith("<") or (in_html and bool(line.strip())))
        is_prose = not (in_code or in_html or line.startswith(("#", "|", ":")))
        yield _linked(line, told) if is_prose else line


def _linked(line: str, told: set[str]) -> str:
    found, at = [], 0
    for plain in PLAIN.finditer(line):
        found += [_of_prose(line[at : plain.start()], told), plain[0]]
        at = plain.end()
    return "".join([*found, _of_prose(line[at:], told)])


def _of_prose(text: str, told: set[str]) -> str:
    def role(match: re.Match[str]) -> str:
        term = match[1].lower()
        if term in told:
            return match[0]
        told.add(term)
        return f"{{term}}`{match[0]} <{term}>`" if match[0] != term else f"{{term}}`{term}`"

    return TERM.sub(role, text)
