"""Engines that speculate, whose draft agrees with the target as often as a test wants, and what the draft would say."""

import random
from typing import Any

from fuzz.serving.speculating import (
    DRAFT_WINDOW,
    POLICY,
    Speculation,
    furthest_proposal,
    nothing_is_left,
    speculate,
    tiny_with_draft,
)

__all__ = [
    "DRAFT_WINDOW",
    "POLICY",
    "Speculation",
    "by_chance",
    "furthest_proposal",
    "nothing_is_left",
    "speculate",
    "tiny_with_draft",
]


def by_chance(seed: int, most: int = 3) -> Any:
    """How many guesses agree at a position: any number up to the most, always the same at the same position."""
    return lambda position: random.Random(1000 * seed + position).randrange(most + 1)
