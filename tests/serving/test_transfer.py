"""A prompt computed in one arena goes on in another, and whatever the network does, no logit changes."""

import random

import pytest

from impl.serving.engine.tiny import PATTERNS, tiny
from tests.serving.running import TOLERANCE, tasks
from tests.serving.transferring import drive, furthest_of, pair


@pytest.mark.parametrize("pattern", PATTERNS)
def test_going_on_from_another_arena_changes_no_logit(pattern: str) -> None:
    both = pair(tiny(pattern))
    for task in tasks(1, count=5):
        both.ask(task)
    drive(both, random.Random(1))
    assert furthest_of(both) < TOLERANCE
    assert not any(asked.recomputed for _, asked in both.asked)
    assert len(both.network.landed) > 20
