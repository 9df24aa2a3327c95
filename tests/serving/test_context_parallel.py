"""Decode context parallelism in real processes: each rank keeps some tokens, and all say what one process says."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from impl.chain import chain_for
from impl.layout import Layout
from impl.requests.reach import first_needed
from impl.serving.engine.mixers.attention import attended
from impl.serving.engine.rank import Rank
from impl.serving.engine.tiny import tiny
from impl.serving.parallel.context import attended_together, collapsed, own_positions, widened
from impl.serving.parallel.processes import Ranks
from impl.serving.speculation.block import seeing_the_whole_block
from tests.serving.ranked import POLICY, by_tokens, is_right
from tests.serving.running import options, tasks

ASKED = tasks(1, count=5)
WINDOW = 10
LAYOUTS: dict[str, Layout] = {
    "latents beside states": tiny("kimi-linear-48b-a3b"),
    "two layers of latents": tiny("kimi-k3"),
    "keys and values beside states": tiny("qwen3-next-80b-a3b"),
    "a window larger than a widened page": tiny("gpt-oss-20b"),
    "a window as large as a widened page": tiny("gpt-oss-20b", options(WINDOW // 2)),
    "a window smaller than a widened page": tiny("gpt-oss-20b", options(8)),
    "windows beside states": tiny("inkling-small"),
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
    with Ranks(4) as four:
        for name in ("latents beside states", "windows beside states"):
            reports = four.results(by_tokens, LAYOUTS[name], ASKED[:3], 3)
            assert is_right(LAYOUTS[name], ASKED[:3], reports)


@pytest.mark.parametrize("name", ["latents beside states", "windows beside states"])
def test_prefixes_are_cached_by_widened_pages(two: Ranks, name: str) -> None:
    layout, asked = LAYOUTS[name], [*ASKED, *ASKED]
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


def test_a_page_slides_out_when_no_token_of_any_rank_is_looked_back_on() -> None:
    chain = widened(chain_for(LAYOUTS["a window larger than a widened page"], 1 << 20), 2)
    (kind,) = [band.kind for band in chain.bands if band.kind.window is not None]
    assert kind.window == WINDOW, "it is counted in tokens of all ranks"
    assert kind.page_tokens == 8
    needed = [first_needed(kind, settled) for settled in range(28)]
    # the token at position 17 looks back on positions 8 to 17, and the one before it still on the first page
    assert needed == [0] * 17 + [1] * 8 + [2] * 3


class Alone:
    """A group of one."""

    rank = Rank()

    def total(self, partial: torch.Tensor) -> torch.Tensor:
        """See `Group.total`."""
        return partial

    largest = total


@pytest.mark.parametrize("in_block", [False, True])
@pytest.mark.parametrize("window", [None, 3])
def test_one_rank_attends_as_a_process_does_and_what_has_slid_out_may_be_no_number(
    window: int | None, in_block: bool
) -> None:
    alone: Any = Alone()
    generator = torch.Generator().manual_seed(1)
    queries, keys, values = (torch.randn(n, 2, 4, dtype=torch.float64, generator=generator) for n in (2, 7, 7))
    if window is not None:
        keys[:3], values[:3] = float("nan"), float("nan")
    right = seeing_the_whole_block if in_block else attended
    found = attended_together(alone, queries, keys, values, 9, window, in_block=in_block)
    # of nine tokens the first two have no rows any more
    assert torch.allclose(found, right(queries, keys, values, 9, window))
