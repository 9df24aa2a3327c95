"""Requests: growth into the last page, copies before a write, sliding windows, rolling back, and nothing left over."""

from collections import Counter
from random import Random

import pytest

from impl.allocator import Allocator
from impl.misuse import Misuse
from impl.plan import Grant, Refusal
from impl.requests.reach import first_needed, first_written, places
from impl.requests.request import Request
from impl.requests.requests import Requests
from tests.impl.toys import filled, toy_kind, toy_layout
from tests.requests.engine import Engine, random_run

STATE, WINDOW, FULL = 0, 1, 2
PAGE = 4


def engine(arena_bytes: int = 1 << 16) -> Engine:
    """State, a window of 10 tokens and full attention; pages of 4 tokens."""
    return Engine(toy_layout(("state", 64), ("window10", 48), ("full", 32), page_tokens=PAGE), arena_bytes)


def grown(made: Engine, tokens: int) -> Request:
    request = made.begin()
    assert isinstance(made.requests.extend([request], tokens), Grant)
    made.forward([request])
    return request


# ------------------------------------------------------------------------------------------------------------- growth


def test_a_request_takes_a_page_of_a_kind_only_when_the_last_one_is_full() -> None:
    made = engine()
    request = made.begin()
    demands = []
    for _ in range(9):
        result = made.requests.extend([request])
        assert isinstance(result, Grant)
        demands.append(result.plan.demand)
        made.forward([request])
    assert demands == [(1, 1, 1), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 1), *[(0, 0, 0)] * 3, (0, 1, 1)]
    made.look()
    made.end()


def test_a_batch_is_one_joint_allocation() -> None:
    made = engine()
    batch = [made.begin() for _ in range(3)]
    calls = made.allocator.statistics().calls
    result = made.requests.extend(batch, [1, 5, 12])
    assert isinstance(result, Grant)
    assert result.plan.demand == (3, 6, 6)
    assert made.allocator.statistics().calls == calls + 1
    assert [len(request.pages[FULL]) for request in batch] == [1, 2, 3]


def test_a_refused_batch_leaves_every_request_as_it_was() -> None:
    made = engine()
    batch = [made.begin(), made.begin()]
    assert isinstance(made.requests.extend(batch, 3), Grant)
    before = [(request.tokens, [list(ids) for ids in request.pages]) for request in batch]
    result = made.requests.extend(batch, [1, 10**6])
    assert isinstance(result, Refusal)
    assert [(request.tokens, [list(ids) for ids in request.pages]) for request in batch] == before


# ------------------------------------------------------------------------------------------------------------- forks


def test_a_fork_takes_nothing_and_its_first_token_copies_the_last_page_and_the_state() -> None:
    made = engine()
    request = grown(made, 6)
    made.complete()
    before = made.allocator.statistics()
    other = made.fork(request)
    assert made.allocator.statistics().kinds == before.kinds
    result = made.requests.extend([other])
    assert isinstance(result, Grant)
    assert result.plan.demand == (1, 1, 1)
    made.forward([other])
    made.look()
    assert other.pages[FULL][0] == request.pages[FULL][0]
    assert other.pages[FULL][1] != request.pages[FULL][1]
    made.end()


def test_a_fork_at_the_end_of_a_page_copies_no_token() -> None:
    made = engine()
    request = grown(made, 8)
    made.complete()
    other = made.fork(request)
    result = made.requests.extend([other])
    assert isinstance(result, Grant)
    assert [len(ids) for ids in result.plan.originals] == [1, 0, 0]
    made.forward([other])
    made.look()


def test_of_a_batch_that_shares_a_page_the_last_one_keeps_it() -> None:
    made = engine()
    request = grown(made, 6)
    made.complete()
    family = [request, *(made.fork(request) for _ in range(3))]
    result = made.requests.extend(family)
    assert isinstance(result, Grant)
    assert [len(ids) for ids in result.plan.originals] == [3, 3, 3]
    made.forward(family)
    made.look()
    made.end()


def test_a_page_that_a_forward_still_writes_is_copied_once_that_one_is_settled() -> None:
    made = engine()
    request = grown(made, 6)
    other = made.fork(request)
    with pytest.raises(Misuse, match="still writes it"):
        made.requests.extend([other])
    assert other.tokens == 6
    result = made.requests.extend([other], settle=made.tickets)
    assert isinstance(result, Grant)
    assert result.plan.settle == tuple(made.tickets)
    made.tickets.clear()
    made.forward([other])
    made.look()
    made.end()


def test_what_was_not_launched_cannot_be_forked() -> None:
    made = engine()
    request = made.begin()
    made.requests.extend([request], 3)
    with pytest.raises(Misuse, match="3 of its tokens wait for a forward"):
        made.requests.fork(request)


# ------------------------------------------------------------------------------------------------ windows, rolling back


def test_a_window_slides_on_tokens_that_are_final_only() -> None:
    made = engine()
    request = made.begin()
    made.requests.extend([request], 24)
    made.forward([request])
    assert len(request.pages[WINDOW]) == 6, "nothing is final yet"
    made.requests.accept([request], 12)
    assert (request.first[WINDOW], len(request.pages[WINDOW])) == (0, 6), "token 12 reads from token 3 on"
    made.requests.accept([request], 1)
    assert (request.first[WINDOW], len(request.pages[WINDOW])) == (1, 5), "token 13 reads from token 4 on"
    made.roll_back(request, 11)
    made.look()
    assert (request.tokens, len(request.pages[WINDOW]), len(request.pages[FULL])) == (13, 3, 4)
    made.end()


def test_a_page_that_slides_out_under_its_reader_is_withheld() -> None:
    made = engine()
    request = made.begin()
    made.requests.extend([request], 24)
    made.forward([request])
    made.requests.accept([request], 24)
    assert made.allocator.statistics().kinds[WINDOW].withheld == 3
    made.complete()
    assert made.allocator.statistics().kinds[WINDOW].withheld == 0


def test_speculative_tokens_are_rolled_back_to_the_token_and_written_again() -> None:
    made = Engine(toy_layout(("window10", 48), ("full", 32), page_tokens=PAGE), 1 << 14)
    request = made.begin()
    for drafted, accepted in ((5, 1), (5, 5), (6, 2), (1, 0), (9, 3)):
        assert isinstance(made.requests.extend([request], drafted), Grant)
        made.forward([request])
        made.requests.accept([request], accepted)
        made.roll_back(request, drafted - accepted)
        made.look()
        made.complete()
    assert request.tokens == request.settled == 11
    assert len(request.pages[1]) == 3
    made.end()


def test_a_state_is_speculated_with_in_a_fork() -> None:
    made = engine()
    request = grown(made, 6)
    made.complete()
    before = made.state[request]
    draft = made.fork(request)
    made.requests.extend([draft], 3)
    made.forward([draft])
    made.finish(draft)
    made.look()
    assert made.state[request] == before
    made.end()


# -------------------------------------------------------------------------------------------------------------- prefix


def test_a_request_begins_with_a_prefix_and_copies_what_it_writes() -> None:
    made = engine()
    request = made.begin()
    made.requests.extend([request], 14)
    made.forward([request])
    made.complete()
    prefix = [list(ids) for ids in request.pages]
    other = made.requests.begin(14, [prefix[STATE], prefix[WINDOW][1:], prefix[FULL]])
    made.tokens[other], made.state[other] = list(made.tokens[request]), made.state[request]
    made.look()
    made.finish(request)
    result = made.requests.extend([other])
    assert isinstance(result, Grant)
    assert not any(len(ids) for ids in result.plan.originals), "nobody else is left who refers to it"
    made.forward([other])
    made.look()
    made.end()


def test_a_prefix_of_which_a_page_is_gone_takes_no_reference() -> None:
    made = engine()
    state, window, full = (ids.tolist() for ids in filled(made.recorded, [1, 1, 1]))
    made.recorded.release(FULL, full)
    with pytest.raises(Misuse, match="is not alive"):
        made.requests.begin(3, [state, window, full])
    assert made.allocator.count_references(STATE, state).tolist() == [1]
    assert made.allocator.count_references(WINDOW, window).tolist() == [1]


PREFIXES = {
    "no pages": (3, None, "0 lists for 3 bands"),
    "pages without tokens": (0, [[1], [1], [1]], "an empty prefix"),
    "too few of full attention": (14, [[1], [1, 2, 3], [1, 2, 3]], "3 of kind full for 14 tokens, which need 4"),
    "too few of the window": (14, [[1], [1, 2], [1, 2, 3, 4]], "2 of kind window10 for 14 tokens, which need 3"),
    "too many": (14, [[1], [1, 2, 3], [1, 2, 3, 4, 5]], "5 of kind full"),
    "no state": (14, [[], [1, 2, 3], [1, 2, 3, 4]], "0 of kind state for 14 tokens, which need 1"),
}


@pytest.mark.parametrize("name", PREFIXES)
def test_a_prefix_that_cannot_be_one_is_rejected(name: str) -> None:
    tokens, pages, problem = PREFIXES[name]
    with pytest.raises(Misuse, match=problem):
        engine().requests.begin(tokens, pages)


# ------------------------------------------------------------------------------------------------------------- misuses


def test_misuses_are_named_and_change_nothing() -> None:
    made = engine()
    request, other = made.begin(), made.begin()
    made.requests.extend([request, other], 5)
    made.forward([request, other])
    before = made.allocator.snapshot()
    for problem, call in (
        ("named twice", lambda: made.requests.extend([request, request])),
        ("1 counts for 2 requests", lambda: made.requests.extend([request, other], [1])),
        ("negative", lambda: made.requests.extend([request], -1)),
        ("5 were launched", lambda: made.requests.accept([other, request], [5, 6])),
        ("only 5 tokens are not final", lambda: made.requests.roll_back([other, request], [1, 6])),
    ):
        with pytest.raises(Misuse, match=problem):
            call()
    assert made.allocator.snapshot() == before
    assert (request.tokens, other.tokens, request.settled, other.settled) == (5, 5, 0, 0)
    made.finish(request)
    with pytest.raises(Misuse, match="finished"):
        made.requests.finish([request])
    with pytest.raises(Misuse, match="finished"):
        made.requests.fork(request)


# ----------------------------------------------------------------------------------------------------------- arithmetic


def test_places_and_what_is_still_needed_agree_with_counting_tokens() -> None:
    for window in (None, 1, 2, 7, 8, 9):
        kind = toy_kind("full" if window is None else f"window{window}", 16, PAGE)
        for settled in range(40):
            reads = {
                token for t in range(settled, settled + 60) for token in range(max(0, t - (window or 10**9) + 1), t + 1)
            }
            assert first_needed(kind, settled) == min(reads) // PAGE
            assert places(kind, settled) == len({token // PAGE for token in range(settled)})
            assert first_written(kind, settled) == settled // PAGE


# ------------------------------------------------------------------------------------------------------------ at random

LAYOUTS = {
    "state and full": (("state", 64), ("full", 32)),
    "window and full": (("window10", 48), ("full", 32)),
    "all three": (("state", 112), ("window7", 16), ("full", 48)),
    "two windows": (("window13", 48), ("window5", 32), ("full", 16)),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("page_tokens", [1, 4])
def test_whatever_happens_every_token_shows_what_was_written_and_the_judge_agrees(name: str, page_tokens: int) -> None:
    done: Counter[str] = Counter()
    copied = 0
    for seed in range(3):
        made = Engine(toy_layout(*LAYOUTS[name], page_tokens=page_tokens), 256 * page_tokens * 12)
        done.update(random_run(made, Random(seed), 150))
        made.end()
        copied += made.judge.actions["fork"]
    if page_tokens > 1 or "state" in dict(LAYOUTS[name]):
        assert copied > 8
        assert done["extend: copied"] > 4
        assert done["extend: still written"] > 0
    else:
        assert not copied, "every page is full as soon as it is there"
    assert done["extend: grown"] > 5
    assert sum(done[f"extend: {reason}"] for reason in ("never", "after-release", "evict")) > 0
    assert done["accept: done"] > 20


def test_requests_work_on_an_allocator_that_is_not_on_record() -> None:
    allocator = Allocator(toy_layout(("state", 64), ("full", 32), page_tokens=PAGE), 1 << 14)
    requests = Requests(allocator)
    request = requests.begin()
    assert isinstance(requests.extend([request], 7), Grant)
    assert requests.chain is allocator.chain
    requests.finish([request])
    assert allocator.statistics().kinds[1].live == 0
