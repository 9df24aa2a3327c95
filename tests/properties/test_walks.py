"""What is proved of all arenas is watched to hold in small ones, on plain values."""

import random
from collections import Counter

from spec.concrete import broken_properties, broken_steps
from spec.invariants import initial
from spec.ranges import universe
from spec.specification import ACTIONS
from tests.properties.walk import DOMAINS, walk
from tests.spec.small import arena

SEEDS, LENGTH = range(12), 90
LEAST = 4
"""Every action is taken at least this often."""


def test_every_property_holds_after_every_step_of_random_walks() -> None:
    taken: Counter[str] = Counter()
    with universe(DOMAINS):
        for seed in SEEDS:
            assert initial(arena(random.Random(seed))) is True
            for step in walk(random.Random(seed), LENGTH):
                broken = broken_properties(step.after) + broken_steps(step.before, step.after)
                assert not broken, (seed, step.action.name, step.arguments, broken)
                taken[step.action.name] += 1
    assert sum(taken.values()) == len(SEEDS) * LENGTH
    assert {name for name in ACTIONS if taken[name] < LEAST} == set()
