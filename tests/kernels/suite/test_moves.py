"""Pages arrive whole, and nothing else changes."""

from random import Random

import pytest
import torch

from fuzz.kernels.arenas import ids, random_grid
from fuzz.kernels.moving import check_moves
from impl.kernels.moves import move_pages
from tests.kernels.lanes import Lane


@pytest.mark.parametrize("page_bytes", [16, 48, 272, 512, 1040, 4096, 12304, 16384, 65536, 65552])
@pytest.mark.parametrize(("origin", "slack"), [(0, 0), (16, 5), (4112, 32)])
def test_targets_hold_what_sources_held(lane: Lane, page_bytes: int, origin: int, slack: int) -> None:
    check_moves(lane, page_bytes, origin, slack)


def test_pages_of_two_mebibytes_arrive(lane: Lane) -> None:
    check_moves(lane, 2 << 20, 256, 3)


@pytest.mark.parametrize("seed", range(16))
def test_any_moves_in_any_band_are_right(lane: Lane, seed: int) -> None:
    rnd = Random(seed)
    page_bytes, origin = 16 * rnd.choice((rnd.randint(1, 70), rnd.randint(1, 2600))), 16 * rnd.randint(0, 300)
    pages = rnd.randint(2, 20)
    order = rnd.sample(range(pages), pages)
    count = rnd.randint(1, pages // 2)
    pairs = list(zip(order[:count], order[count:], strict=False))
    check_moves(lane, page_bytes, origin, rnd.randint(0, 2 * page_bytes), pages, pairs)


def test_many_moves_are_one_call(lane: Lane) -> None:
    grid = random_grid(lane, 32, 80, 600)
    order = torch.randperm(600, generator=torch.Generator().manual_seed(1)).to(lane.device)
    sources, targets = order[:300], order[300:]
    before = grid.pages.clone()
    move_pages(grid, sources, targets, lane=lane.takes)
    assert torch.equal(grid.pages[targets], before[sources])
    assert torch.equal(grid.pages[sources], before[sources])


def test_an_arena_may_be_cut_from_a_larger_one(lane: Lane) -> None:
    whole = random_grid(lane, 0, 16, 64)
    before = whole.arena.clone()
    cut = type(whole)(whole.arena[256:768], 16, 48)
    move_pages(cut, ids(lane, [0]), ids(lane, [9]), lane=lane.takes)
    begin = 256 + 16
    before[begin + 9 * 48 : begin + 10 * 48] = before[begin : begin + 48].clone()
    assert torch.equal(whole.arena, before)
