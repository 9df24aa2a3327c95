"""A prompt computed in one arena goes on in another, and whatever the network does, no logit changes."""

import random

import pytest

from impl.misuse import Misuse
from impl.serving.engine.tiny import PATTERNS, tiny
from tests.serving.running import Task, options, tasks
from tests.serving.transferring import compare, drive, pair
from tests.serving.trouble import overtaken, troubled


@pytest.mark.parametrize("pattern", PATTERNS)
def test_going_on_from_another_arena_changes_no_logit(pattern: str) -> None:
    both = pair(tiny(pattern))
    for task in tasks(1, count=5):
        both.ask(task)
    drive(both, random.Random(1))
    compare(both)
    assert not any(asked.recomputed for _, asked in both.asked)
    assert len(both.network.touched) > 20


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_trouble_on_the_way_changes_a_logit(pattern: str) -> None:
    trouble = troubled(tiny(pattern), seed=1)
    assert trouble.kinds >= {"broken", "given up", "aborted"}


def test_peers_that_die_leave_nothing_behind() -> None:
    trouble = troubled(tiny("inkling-small"), seed=1, deaths=0.3, count=12)
    assert trouble.counts["prefill died"] >= 2
    assert trouble.counts["decode died"] >= 2


def test_small_arenas_make_transfers_wait_and_change_no_logit() -> None:
    layout = tiny("qwen3-next-80b-a3b")
    both = pair(layout, prefill_tokens=30, decode_tokens=30, states=3)
    for task in tasks(3, count=8):
        both.ask(task)
    drive(both, random.Random(3))
    compare(both)


def test_what_is_computed_and_not_awaited_yet_gives_way_to_what_is() -> None:
    assert overtaken(tiny("gpt-oss-20b"), 1)


def test_a_prefix_that_is_cached_on_either_end_changes_no_logit() -> None:
    both = pair(tiny("inkling-small"), prefill_tokens=200, decode_tokens=60, states=9, interval=8)
    again = [*tasks(4, count=4), *tasks(4, count=4)]
    for task in again:
        both.ask(task)
        drive(both, random.Random(4))
    compare(both)
    prefix = both.prefill.engine.prefix
    assert prefix is not None
    assert prefix.hit_tokens > 0


def test_a_peer_with_other_pages_is_refused() -> None:
    both = pair(tiny("gpt-oss-20b"))
    other = pair(tiny("gpt-oss-20b", options(page_tokens=8)))
    with pytest.raises(Misuse, match="page_bytes"):
        both.prefill.sender.meet(other.decode.receiver.hello)


def test_a_prompt_for_which_no_room_will_ever_be_is_rejected_and_its_peer_forgets_it() -> None:
    both = pair(tiny("gpt-oss-20b"), decode_tokens=12)
    asked = both.ask(Task((1,) * 40, 2))
    drive(both, random.Random(1))
    assert asked.recomputed
    assert asked.job is not None
    assert asked.job.rejected
