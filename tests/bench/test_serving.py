"""The small engine that decodes keeps its books right, whichever way it is written."""

import numpy as np
import pytest

from bench.allocator.arenas import layout_of
from bench.allocator.serving import FULL, KEPT, PAGE, STATE, WINDOW, WINDOW_BAND, Batch, Pipeline, Request
from impl.allocator import Allocator

REQUESTS, CONTEXT, STEPS = 20, 100, 3 * PAGE


@pytest.fixture
def allocator() -> Allocator:
    return Allocator(layout_of(PAGE, WINDOW), 1 << 20)


def _live(allocator: Allocator) -> list[int]:
    return [kind.live for kind in allocator.statistics().kinds]


def _expected() -> list[int]:
    pages = sum(-(-(CONTEXT + number + STEPS) // PAGE) for number in range(REQUESTS))
    return [REQUESTS, REQUESTS * KEPT, pages]


def test_requests_one_by_one_have_the_pages_they_need(allocator: Allocator) -> None:
    requests = [Request(allocator, CONTEXT + number) for number in range(REQUESTS)]
    for _ in range(STEPS):
        for request in requests:
            request.step()
    assert _live(allocator) == _expected()
    for request in requests:
        request.finish()
    assert _live(allocator) == [0, 0, 0]
    allocator.check()


def test_a_batch_has_the_pages_it_needs(allocator: Allocator) -> None:
    batch = Batch(allocator, REQUESTS, CONTEXT, STEPS)
    for _ in range(STEPS):
        batch.step()
        for band in (WINDOW_BAND, FULL):
            held = batch.context(band)
            assert np.unique(held).size == held.size
            assert np.isin(batch.tails(band), held).all()
            allocator.translate(band, held)
    assert _live(allocator) == _expected()
    batch.finish()
    assert _live(allocator) == [0, 0, 0]
    allocator.check()


@pytest.mark.parametrize("whole", [False, True])
def test_a_forward_in_flight_holds_what_it_uses(allocator: Allocator, whole: bool) -> None:
    batch = Batch(allocator, REQUESTS, CONTEXT, STEPS)
    pipeline = Pipeline(batch, whole)
    for _ in range(STEPS):
        pipeline.step()
    (flight,) = allocator.outstanding()
    held = [REQUESTS, REQUESTS, REQUESTS]
    if whole:
        held[WINDOW_BAND], held[FULL] = (batch.context(band).size for band in (WINDOW_BAND, FULL))
    assert list(flight.pages) == held
    pipeline.land()
    batch.finish()
    assert not allocator.outstanding()
    assert _live(allocator) == [0, 0, 0]
    allocator.check()


def test_states_are_one_for_each_request(allocator: Allocator) -> None:
    batch = Batch(allocator, REQUESTS, CONTEXT, STEPS)
    assert np.unique(batch.states).size == REQUESTS
    allocator.translate(STATE, batch.states)
