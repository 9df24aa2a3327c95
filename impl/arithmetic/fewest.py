"""The fewest that are enough, where more are never less: first the count that is tried is doubled, then halved."""

from impl.arithmetic.choice import larger, select


def first_try(least: int) -> int:
    """How many are tried first, if it must be at least so many."""
    return larger(1, 2 * least)


def widened(tried: int) -> tuple[int, int]:
    """The least that may be enough once so many were not, and how many are tried next."""
    return tried + 1, 2 * tried


def halfway(least: int, most: int) -> int:
    """How many are tried between the least that may be enough and the most that are needed."""
    return (least + most) // 2


def narrowed(least: int, most: int, suffices: bool) -> tuple[int, int]:
    """The least that may be enough and the most that are needed, once it is known whether `halfway` suffices."""
    tried = halfway(least, most)
    return select(suffices, least, tried + 1), select(suffices, tried, most)
