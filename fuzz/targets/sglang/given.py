"""What was given under the labels of a script, and what of it is still there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Spot = tuple[str, int]
"""What was given under a label, and a place in it."""


@dataclass
class Given:
    """What one label names: the ids that were given, in order, and which of them are gone.

    Attributes:
        ids: virtual pages of tokens, or state slots.
        tokens: how many are in use; the last page may have room for more.
        gone: places of those that were freed.
        windowless: places of those whose window side was freed.
    """

    ids: list[int]
    tokens: int = 0
    gone: set[int] = field(default_factory=set)
    windowless: set[int] = field(default_factory=set)


def each_once(spots: Iterable[Sequence[Any]]) -> list[Spot]:
    """Named twice is misuse: the second time it would not be there any more."""
    return list(dict.fromkeys((label, place) for label, place in spots))


def is_there(table: dict[str, Given], label: str, place: int) -> bool:
    """It was given, and not freed since."""
    given = table.get(label)
    return given is not None and place < len(given.ids) and place not in given.gone


def can_grow(given: Given) -> bool:
    """Its last page is whole: a request whose tail was freed is over."""
    last = len(given.ids) - 1
    return last < 0 or (last not in given.gone and last not in given.windowless)
