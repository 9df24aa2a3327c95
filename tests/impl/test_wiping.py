"""New pages that begin as zeros."""

import math

import pytest
import torch

from events import records as r
from impl.allocator import Allocator
from impl.misuse import Misuse
from impl.plan import Grant
from impl.recording import RecordedAllocator
from spec.judge.judge import judge_records
from tests.impl.toys import filled, toy_layout

STATE, FULL = 0, 1


def one_arena() -> Allocator:
    """State slots of 64 bytes and full pages of 48, in 480 bytes that either may take."""
    return Allocator(toy_layout(("state", 64), ("full", 48)), 256 + 480)


def entries(allocator: Allocator, band: int) -> torch.Tensor:
    return allocator.view(allocator.chain.bands[band].kind.rows[0])


def spoiled() -> Allocator:
    """Everything was written with NaNs as states, and given up."""
    allocator = one_arena()
    states = filled(allocator, [6, 0])[STATE]
    entries(allocator, STATE)[allocator.translate(STATE, states)] = math.nan
    allocator.release(STATE, states)
    return allocator


def test_a_page_that_is_wiped_shows_zeros_whatever_lay_there() -> None:
    allocator = spoiled()
    result = allocator.allocate([1, 4], wipe=True)
    assert isinstance(result, Grant)
    for band in (STATE, FULL):
        shown = entries(allocator, band)[allocator.translate(band, result.ids[band])]
        assert shown.abs().sum() == 0
    allocator.check()


def test_without_wiping_a_nan_of_another_kind_can_be_read() -> None:
    allocator = spoiled()
    result = allocator.allocate([0, 4])
    assert isinstance(result, Grant)
    shown = entries(allocator, FULL)[allocator.translate(FULL, result.ids[FULL])]
    assert shown.isnan().any(), "the test has something to find"


def test_rows_without_weight_leave_no_trace_of_another_kind_in_a_result() -> None:
    for wipe in (True, False):
        allocator = spoiled()
        result = allocator.allocate([0, 4], wipe=wipe)
        assert isinstance(result, Grant)
        rows = entries(allocator, FULL)[allocator.translate(FULL, result.ids[FULL])]
        rows[:2] = 1.5
        weights = torch.tensor([0.5, 0.5, 0.0, 0.0])
        assert bool((weights @ rows).isfinite().all()) == wipe


def test_copies_are_not_wiped() -> None:
    allocator = spoiled()
    original = filled(allocator, [0, 1])[FULL]
    entries(allocator, FULL)[allocator.translate(FULL, original)] = 2.5
    result = allocator.allocate([0, 2], originals=[[], original], wipe=True)
    assert isinstance(result, Grant)
    copy, fresh = entries(allocator, FULL)[allocator.translate(FULL, result.ids[FULL])]
    assert copy.tolist() == [2.5] * 12
    assert fresh.tolist() == [0.0] * 12


def test_a_transfer_is_given_a_wiped_page_once_the_stream_has_caught_up() -> None:
    allocator = one_arena()
    result = allocator.allocate([0, 1], wipe=True)
    assert isinstance(result, Grant)
    transfer = allocator.open("transfer")
    with pytest.raises(Misuse, match="queued"):
        allocator.hold(transfer, FULL, result.ids[FULL], "write")
    allocator.drain()
    allocator.hold(transfer, FULL, result.ids[FULL], "write")


def test_wiping_is_on_record_and_judged() -> None:
    records: list[r.AnyRecord] = []
    recorded = RecordedAllocator(one_arena(), records.append)
    recorded.allocate([1, 1], wipe=True)
    recorded.allocate([0, 1])
    assert [record.wipe for record in records if isinstance(record, r.Allocate)] == [True, False]
    assert [type(record) for record in records if isinstance(record, r.Wiped | r.Allocated)] == [
        r.Wiped,
        r.Wiped,
        r.Allocated,
    ]
    verdict = judge_records(records)
    assert verdict.finding is None
    assert verdict.by_action == {"grow-high": 1, "grow-low": 2, "allocate-wiped": 2, "allocate": 1}
