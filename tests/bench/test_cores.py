import time
from functools import partial
from pathlib import Path

import pytest

from bench.cores import all_cores

CORES = 2
SOON = 60.0
"""Seconds within which processes that work at once have met."""


def _meet(place: Path, seed: int, times: int) -> int:
    """Wait until all processes are here; each under its seed."""
    (place / str(seed)).touch()
    until = time.monotonic() + SOON
    while len(list(place.iterdir())) < CORES:
        assert time.monotonic() < until, "nobody else is at work"
        time.sleep(0.01)
    return times


def _break(seed: int, times: int) -> int:
    raise ValueError(f"nothing can be done with {seed}")


def test_every_core_does_its_part_at_the_same_time_with_a_seed_of_its_own(tmp_path: Path) -> None:
    with all_cores(CORES) as together:
        assert together.per_second(partial(_meet, tmp_path), 7, 5) > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["14", "15"]


def test_a_part_that_breaks_is_not_measured() -> None:
    with all_cores(CORES) as together, pytest.raises(AssertionError, match="must hold"):
        together.per_second(_break, 1, 1)
