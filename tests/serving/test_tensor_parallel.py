"""Tensor parallelism in real processes: every rank says what one process says, and all agree at every step."""

from collections.abc import Iterator

import pytest

from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.parallel.processes import Ranks
from tests.serving.ranked import by_heads, is_right
from tests.serving.running import tasks

ASKED = tasks(1, count=5)


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


@pytest.mark.parametrize("pattern", PATTERNS)
def test_two_ranks_say_what_one_process_says(two: Ranks, pattern: str) -> None:
    reports = two.results(by_heads, pattern, ASKED, 3)
    assert is_right(tiny(pattern), ASKED, reports)
    assert reports[0].ended != reports[1].ended, "each sees forwards end in its own time"
    assert max(reports[0].ended) > 1, "two forwards were in flight"
    for report in reports:
        assert report.retractions > 0
        assert report.moved > 0


def test_four_ranks_share_two_heads() -> None:
    with Ranks(4) as four:
        for pattern in ("gpt-oss-20b", "kimi-linear-48b-a3b"):
            reports = four.results(by_heads, pattern, ASKED[:3], 3)
            assert is_right(tiny(pattern), ASKED[:3], reports)
            assert len({tuple(report.ended) for report in reports}) > 2
