"""What the caches of several stages decide together: a cache asks all of them, and goes by nothing but the answers."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

Gathered: TypeAlias = Callable[[str, Any], list[Any]]
"""What each stage says, in order, given what is asked and what this one says; asked by all at the same time."""

_Found = TypeVar("_Found")


def alone(what: str, own: Any) -> list[Any]:
    """What a cache is told that is not one of several."""
    return [own]


def longest(
    find: Callable[[int], _Found], pages: Callable[[_Found], int], most: int, what: str, gathered: Gathered
) -> _Found:
    """The most pages of a text that every stage can go on with; each finds the same number.

    Args:
        find: the most that this stage can, up to so many; none is always possible.
        pages: of what was found.
        most: of the text.
        what: is asked.
        gathered: asks all stages.
    """
    while True:
        found = find(most)
        lengths = gathered(what, pages(found))
        most = min(lengths)
        if most == max(lengths):
            return found
