"""Parts of sentences: things that are counted, numbered or listed."""

from collections.abc import Sequence

MOST_SHOWN = 6
"""Numbers of a list that are spelled out before the rest is only counted."""


def counted(count: int, thing: str) -> str:
    """A number of things: 1 page, 2 pages."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def numbered(thing: str, numbers: Sequence[int]) -> str:
    """Some things by their numbers: page 3; pages 3, 4 and 5; no page."""
    if not numbers:
        return f"no {thing}"
    shown = [f"{number:,}" for number in numbers[:MOST_SHOWN]]
    if len(numbers) > MOST_SHOWN:
        return f"{thing}s {', '.join(shown)} and {len(numbers) - MOST_SHOWN:,} more"
    return f"{thing}{'' if len(numbers) == 1 else 's'} {listed(shown)}"


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence: a; a and b; a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
