"""A property that does not hold, and what a person needs to see why."""

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from bandgap.history import History, plainly
from bandgap.pictures import Arena, Look, in_words

Traits: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""What is true of one failure, by trait, such as the layout or its calls."""

LONGEST_TITLE: Final = 120

_COLUMNS: Final = re.compile(r",? as \([^)]*\)")
"""How the judge names the columns of a table."""


@dataclass(frozen=True)
class Violation:
    """One violated property."""

    check: str
    """Its name, as the catalogue has it."""
    prose: str
    """What it says."""
    where: str
    """What was being checked: a layout and seed, an obligation."""
    problem: str
    """What is wrong, in one sentence."""
    facts: tuple[str, ...] = ()
    """What the pictures do not show."""
    help: tuple[tuple[str, str], ...] = ()
    """What is known of how to mend it, each with a title."""
    history: History | None = None
    """Where it broke, whom it concerns, and the chain of lines that made the page what it was there."""
    before: Arena | None = None
    after: Arena | None = None
    """The arena before and after what broke it, with the bytes that are wrong marked."""
    calls: int = 0
    """How many there are in the code."""
    code: str = ""
    """Python that shows it again when pasted; empty where the command below is all there is."""
    file: str = ""
    """Where the failure is saved, if it is."""
    command: str = ""
    """What a shell runs to see it again."""
    call: str = ""
    """The name of the call at which it broke, if calls were made."""
    target: str = ""
    """What was driven, if calls were made."""
    steps: str = ""
    """The calls in the code, without what sets them up, where the two can be told apart."""
    sides: tuple[tuple[str, str], ...] = ()
    """Where allocator and judge contradict each other: who says what."""
    traits: Traits = ()
    """What it is compared by with other failures of the same kind."""
    absent: tuple[str, ...] = ()
    """Operations that were switched off in the life that broke."""

    @property
    def title(self) -> str:
        """What was seen, and at which call, short enough for a heading."""
        said = _COLUMNS.sub("", plainly(self.problem).removeprefix("call to ")).partition("; ")[0]
        title = said if not self.call or said.startswith(f"{self.call}:") else f"{self.call}: {said}"
        return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1].rstrip()}…"

    @property
    def plainly(self) -> str:
        """The problem as one reads it who knows none of the specification's words."""
        said = plainly(self.problem)
        if self.history is None or ": not so: " not in self.problem:
            return said
        return f"{self.history.event[:1].upper()}{self.history.event[1:]}; {said}."

    @property
    def pictures(self) -> tuple[Arena, ...]:
        """The arenas that show something: before and after, or one where they are alike, or none."""
        before, after = self.before, self.after
        if before is None or after is None:
            return ()
        if before.bands != after.bands:
            return before, after
        marked = next((arena for arena in (after, before) if arena.marks), None)
        return () if marked is None else (marked,)

    @property
    def bytes(self) -> tuple[str, ...]:
        """The bytes that are wrong, in words; where none is marked so, those that are acted on."""
        drawn = [arena for arena in (self.after, self.before) if arena is not None]
        for look in (Look.WRONG, Look.ACTED_ON):
            for arena in drawn:
                found = [mark for mark in arena.marks if mark.look is look]
                if found:
                    return tuple(in_words(arena, mark) for mark in found)
        return ()
