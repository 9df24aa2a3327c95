"""Data parallelism in real processes: requests and an arena of one's own, and a share of the work on all tokens."""

from collections.abc import Iterator

import pytest

from impl.serving.engine.tiny import tiny
from impl.serving.parallel.processes import Ranks
from tests.serving.ranked import by_requests, is_right
from tests.serving.running import tasks

ASKED = [tasks(1, count=5), tasks(2, count=2), tasks(3, count=3), []]


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


@pytest.mark.parametrize("pattern", ["gpt-oss-20b", "qwen3.5-4b", "inkling-small"])
def test_each_of_two_ranks_says_what_one_process_says(two: Ranks, pattern: str) -> None:
    busy, other = two.results(by_requests, pattern, ASKED[:2], 3)
    assert is_right(tiny(pattern), ASKED[0], [busy])
    assert is_right(tiny(pattern), ASKED[1], [other])
    assert busy.ended != other.ended, "one has more steps than the other"
    assert busy.retractions > 0


def test_a_rank_without_requests_takes_part_in_the_work_of_three_others() -> None:
    with Ranks(4) as four:
        reports = four.results(by_requests, "gpt-oss-20b", ASKED, 3)
    for asked, report in zip(ASKED, reports, strict=True):
        assert is_right(tiny("gpt-oss-20b"), asked, [report])
    assert [len(report.said) for report in reports] == [5, 2, 3, 0]
