"""Every virtual id finds its physical one, or the sink."""

import pytest
import torch

from fuzz.kernels.arenas import ids
from fuzz.kernels.translating import check_translation, defined
from impl.kernels.translation import translate
from tests.kernels.lanes import Lane


@pytest.mark.parametrize("page_tokens", [1, 2, 16, 48, 64, 255, 256])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("unmapped", [None, -1])
def test_every_id_becomes_what_the_definition_says(
    lane: Lane, page_tokens: int, dtype: torch.dtype, unmapped: int | None
) -> None:
    check_translation(lane, page_tokens, dtype, unmapped)


@pytest.mark.parametrize("unmapped", [1 << 40, -(1 << 63), (1 << 63) - 1])
def test_what_an_unmapped_id_becomes_may_need_64_bits(lane: Lane, unmapped: int) -> None:
    check_translation(lane, 16, torch.int64, unmapped, count=20)


@pytest.mark.parametrize("page_tokens", [1, 3, 64])
def test_padded_writes_land_in_the_sink(lane: Lane, page_tokens: int) -> None:
    table = ids(lane, [0, 5, -1])
    padded = ids(lane, [-1, -7, 0, page_tokens - 1, 2 * page_tokens, 3 * page_tokens, 1 << 50])
    got = translate(padded, table, page_tokens, lane=lane.takes)
    assert ((got >= 0) & (got < page_tokens)).all()


def test_a_state_kernel_is_told_which_rows_to_skip(lane: Lane) -> None:
    got = translate(ids(lane, [2, -1, 0, 3]), ids(lane, [0, 9, 4]), 1, unmapped=-1, lane=lane.takes)
    assert got.tolist() == [4, -1, 0, -1]


@pytest.mark.parametrize("shape", [(), (1,), (511,), (512,), (513,), (3, 7), (2, 3, 100)])
def test_ids_of_any_shape_keep_it(lane: Lane, shape: tuple[int, ...]) -> None:
    table = torch.arange(40, device=lane.device).flip(0)
    asked = torch.randint(0, 160, shape, generator=torch.Generator().manual_seed(3)).to(lane.device)
    got = translate(asked, table, 4, lane=lane.takes)
    assert got.shape == asked.shape
    assert got.flatten().tolist() == [defined(one, table.tolist(), 4, None) for one in asked.flatten().tolist()]


def test_the_result_may_take_the_place_of_the_ids(lane: Lane) -> None:
    asked, table = ids(lane, [5, 0, -1, 11]), ids(lane, [3, 1, 7])
    assert translate(asked, table, 4, out=asked, lane=lane.takes) is asked
    assert asked.tolist() == [5, 12, 3, 31]
