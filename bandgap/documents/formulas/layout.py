"""Formulas, and how they are laid out in lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

WIDTH = 88
"""Columns of a line, if its parts allow."""

INDENT = "    "


class Level(IntEnum):
    """How tightly a formula holds together; a looser one is put in parentheses inside a tighter one."""

    QUANTIFIED = 0
    IMPLIES = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARED = 5
    CHOICE = 6
    SUM = 7
    ATOM = 8


@dataclass(frozen=True)
class Formula:
    """Parts that are joined: by the text between them, or behind a head that says what they range over."""

    level: Level
    parts: tuple["Formula", ...] = ()
    text: str = ""
    """The whole of an atom, what stands between the parts of a join, or else the head."""

    def inline(self) -> str:
        """The formula on one line."""
        match self.level:
            case Level.ATOM:
                return self.text
            case Level.QUANTIFIED:
                return f"{self.text} {self.parts[0].inline()}"
            case Level.NOT:
                return f"not {self.parts[0].inside(self.level)}"
            case Level.CHOICE:
                condition, yes, no = (part.inside(self.level) for part in self.parts)
                return f"({yes} if {condition} else {no})"
        return f" {self.text} ".join(part.inside(self.level) for part in self.parts)

    def inside(self, level: Level) -> str:
        """The formula on one line, as a part of a formula of this level."""
        has_own = self.level is Level.CHOICE
        return f"({self.inline()})" if self.level <= level and not has_own else self.inline()

    def lines(self, width: int = WIDTH) -> list[str]:
        """The formula on as many lines as it needs."""
        line = self.inline()
        if len(line) <= width or self.level in (Level.ATOM, Level.SUM):
            return [line]
        match self.level:
            case Level.QUANTIFIED:
                return [self.text, *_indented(self.parts[0].lines(width - len(INDENT)))]
            case Level.NOT:
                return _after("not ", self._part(0, width - 4))
            case Level.IMPLIES:
                condition = self._part(0, width - 2)
                return [*condition[:-1], f"{condition[-1]} {self.text}", *_indented(self.parts[1].lines(width - 4))]
            case Level.COMPARED:
                return [f"{self.parts[0].inline()} {self.text}", *_indented(self.parts[1].lines(width - len(INDENT)))]
            case Level.CHOICE:
                condition, yes, no = (part.lines(width - 5) for part in self.parts)
                return [*yes, *_after("if ", condition), *_after("else ", no)]
        lines = self._part(0, width)
        for other in range(1, len(self.parts)):
            lines += _after(f"{self.text} ", self._part(other, width - len(self.text) - 1))
        return lines

    def _part(self, number: int, width: int) -> list[str]:
        """A part on lines of its own; how far a quantifier reaches is then plain to see, and needs no parentheses."""
        part = self.parts[number]
        if part.level is Level.CHOICE:
            inside = part.lines(width - 2)
            return inside if len(inside) == 1 else _after("(", [*inside[:-1], f"{inside[-1]})"])
        if part.level > self.level:
            return part.lines(width)
        if part.level is Level.QUANTIFIED and self.level in (Level.AND, Level.OR):
            return [part.text, *_indented(part.parts[0].lines(width - len(INDENT)))]
        return _after("(", [*part.lines(width - 2)[:-1], f"{part.lines(width - 2)[-1]})"])


def atom(text: str) -> Formula:
    """Something that is not taken apart."""
    return Formula(Level.ATOM, text=text)


def _indented(lines: Sequence[str]) -> list[str]:
    return [INDENT + line for line in lines]


def _after(head: str, lines: Sequence[str]) -> list[str]:
    return [(head if number == 0 else " " * len(head)) + line for number, line in enumerate(lines)]
