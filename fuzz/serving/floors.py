"""The least that a run must have exercised: one that did less has shown nothing, however it ended."""

from typing import Final

FREQUENT: Final[tuple[str, ...]] = ()
RARER: Final[tuple[str, ...]] = ()


def floors(*, quick: bool) -> dict[str, int]:
    """What must have been exercised, and how often at least."""
    return dict.fromkeys(FREQUENT if quick else (*FREQUENT, *RARER), 1)
