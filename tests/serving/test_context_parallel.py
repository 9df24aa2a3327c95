"""Decode context parallelism in real processes: each rank keeps some tokens, and all say what one process says."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from impl.chain import chain_for
from impl.layout import Layout
from impl.misuse import Misuse
from impl.serving.engine.rank import Rank
from impl.serving.engine.tiny import tiny
from impl.serving.parallel.context import collapsed, own_positions, widened
from impl.serving.parallel.processes import Ranks
from tests.serving.ranked import POLICY, by_tokens, is_right
from tests.serving.running import tasks

ASKED = tasks(1, count=5)
LAYOUTS: dict[str, Layout] = {
    "latents beside states": tiny("kimi-linear-48b-a3b"),
    "two layers of latents": tiny("kimi-k3"),
    "keys and values beside states": tiny("qwen3-next-80b-a3b"),
}


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_ranks_say_what_one_process_says(two: Ranks, layout: str) -> None:
    reports = two.results(by_tokens, LAYOUTS[layout], ASKED, 3)
    assert is_right(LAYOUTS[layout], ASKED, reports)
    assert reports[0].ended != reports[1].ended
    assert max(reports[0].ended) > 1, "two forwards were in flight"
    assert all(report.retractions > 0 and report.moved > 0 for report in reports)


def test_four_ranks_say_what_one_process_says() -> None:
    layout = LAYOUTS["latents beside states"]
    with Ranks(4) as four:
        reports = four.results(by_tokens, layout, ASKED[:3], 3)
    assert is_right(layout, ASKED[:3], reports)


def test_prefixes_are_cached_by_widened_pages(two: Ranks) -> None:
    layout, asked = LAYOUTS["latents beside states"], [*ASKED, *ASKED]
    reports = two.results(by_tokens, layout, asked, 3, replace(POLICY, interval=8))
    assert is_right(layout, asked, reports)
    with pytest.raises(RuntimeError, match="states are kept at the ends of pages; give a multiple of 8"):
        two.results(by_tokens, layout, asked, 3, replace(POLICY, interval=4))


def test_every_token_has_one_owner_that_finds_it_in_its_own_page() -> None:
    ranks, page_tokens = 4, 3
    pages = [7, 2, 9]
    rows = np.array([page * page_tokens * ranks + token for page in pages for token in range(page_tokens * ranks)])
    kept = {number: collapsed(rows, Rank(number, ranks)) for number in range(ranks)}
    for number, own in kept.items():
        assert own.tolist() == [page * page_tokens + token for page in pages for token in range(page_tokens)]
        assert [*own_positions(Rank(number, ranks), 5, 12)] == [t for t in range(5, 12) if t % ranks == number]


def test_windows_are_refused() -> None:
    with pytest.raises(Misuse, match=r"window10.*only the tokens of full attention are shared out among ranks"):
        widened(chain_for(tiny("gpt-oss-20b"), 1 << 20), 2)
