"""Tensor parallelism in real processes: every rank says what one process says, and all agree at every step."""

from collections.abc import Iterator

import pytest

from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.parallel.agreement import Disagreement
from impl.serving.parallel.processes import Failure, Ranks
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


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ("own_clock", "the tickets"),
        ("ids_in_another_order", "the ids of window10"),
        ("no_compaction", "the layout"),
    ],
)
def test_a_rank_that_does_otherwise_is_noticed_by_all(two: Ranks, fault: str, what: str) -> None:
    outcomes = two.outcomes(by_heads, "gpt-oss-20b", ASKED, 3, fault)
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert isinstance(outcome.error, Disagreement), outcome.said
        assert outcome.error.what == what


def test_a_rank_that_computes_the_heads_of_another_shows(two: Ranks) -> None:
    reports = two.results(by_heads, "gpt-oss-20b", ASKED, 3, "heads_of_another")
    assert not is_right(tiny("gpt-oss-20b"), ASKED, reports)
