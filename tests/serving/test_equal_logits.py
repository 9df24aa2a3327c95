"""Whatever happens to the arena, a model says what it says on memory of its own, to the last logit."""

import random

import pytest

from impl.layout import DType
from impl.serving.engine.engine import Policy
from impl.serving.engine.tiny import PATTERNS, tiny
from tests.serving.running import TOLERANCE, drive, furthest, options, quiet, room_for, serve, tasks

ROOMY, TIGHT = 200, 24


@pytest.mark.parametrize("pattern", PATTERNS)
def test_batches_chunks_and_overlap_change_no_logit(pattern: str) -> None:
    layout, asked = tiny(pattern), tasks(1)
    served = serve(layout, room_for(layout, ROOMY, states=6))
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    drive(served, random.Random(1))
    assert furthest(layout, asked, jobs) < TOLERANCE
    assert served.engine.forwards > 8


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_late_device_retractions_and_compaction_change_no_logit(pattern: str) -> None:
    layout, asked = tiny(pattern), tasks(1, count=7)
    served = serve(layout, room_for(layout, TIGHT, states=2), late=True)
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    chance, moved = random.Random(5), 0

    def compact_at_times() -> None:
        nonlocal moved
        if chance.random() < 0.3:
            # what a forward holds stays where it is, so this finds something to move only when all is quiet
            quiet(served)
            moved += served.allocator.compact(1 << 40)

    drive(served, random.Random(2), compact_at_times)
    assert furthest(layout, asked, jobs) < TOLERANCE
    assert served.engine.retractions > 0
    assert moved > 0


def test_relayout_changes_no_logit() -> None:
    layout, asked = tiny("inkling-small"), tasks(1, count=7)
    relayouts = 0
    for seed in range(1, 4):
        served = serve(layout, room_for(layout, TIGHT, states=3), late=True)
        jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
        chance = random.Random(seed)
        drive(served, random.Random(2), lambda: quiet(served) if chance.random() < 0.6 else None)  # noqa: B023  # used now
        assert furthest(layout, asked, jobs) < TOLERANCE
        relayouts += served.allocator.statistics().steps.get(3, 0)
    assert relayouts > 0


@pytest.mark.parametrize("page_tokens", [1, 3, 16])
@pytest.mark.parametrize("pattern", ["gemma-4-31b", "inkling-small"])
def test_pages_of_any_size_change_no_logit(pattern: str, page_tokens: int) -> None:
    layout, asked = tiny(pattern, options(page_tokens)), tasks(1)
    served = serve(layout, room_for(layout, ROOMY, states=6), late=True)
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    drive(served, random.Random(3))
    assert furthest(layout, asked, jobs) < TOLERANCE


def test_rows_of_eight_bits_change_no_logit() -> None:
    layout, asked = tiny("gpt-oss-20b", options(kv_dtype=DType.FP8_E4M3)), tasks(1)
    served = serve(layout, room_for(layout, TIGHT), late=True)
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    drive(served, random.Random(4))
    assert furthest(layout, asked, jobs) < TOLERANCE


def test_a_job_that_says_its_last_word_early_ends_while_its_next_step_is_in_flight() -> None:
    layout = tiny("qwen3.5-4b")
    alone = serve(layout, room_for(layout, ROOMY))
    whole = alone.engine.submit([5, 6, 7], 12)
    drive(alone, random.Random(1))
    served = serve(layout, room_for(layout, ROOMY), late=True)
    stop = whole.said[3]
    job = served.engine.submit([5, 6, 7], 12, stop)
    drive(served, random.Random(1))
    assert job.said == whole.said[: whole.said.index(stop) + 1]
    assert served.allocator.statistics().outstanding == 0


def test_a_job_too_large_for_the_arena_is_rejected_and_the_others_are_served() -> None:
    layout, asked = tiny("gpt-oss-20b"), tasks(1, count=2)
    served = serve(layout, room_for(layout, 24), policy=Policy(most_running=4, chunk=7, positions=400))
    large = served.engine.submit([1] * 300, 4)
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    drive(served, random.Random(1))
    assert large.rejected
    assert furthest(layout, asked, jobs) < TOLERANCE
