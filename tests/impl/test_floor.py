"""An arena that cannot serve one request of the greatest length is refused, and says what is missing."""

import re
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl.allocator import Allocator
from impl.chain import ArenaTooSmall, chain_for
from impl.device.metadata import MetadataDevice
from impl.floor import floor_pages
from impl.layout import DType, Layout, Lifetime, Options, Stored, chain_of, layout_of
from impl.misuse import Misuse
from impl.plan import Grant, Refusal
from tests.impl.toys import random_layout, toy_layout


def least_arena(layout: Layout, max_tokens: int) -> int:
    """The smallest arena for a request, as the error of a smaller one says."""
    with pytest.raises(ArenaTooSmall) as caught:
        chain_for(layout, 1, max_tokens)
    return 1 + caught.value.missing


@pytest.mark.parametrize("seed", range(40))
def test_the_bytes_that_are_missing_are_exact(seed: int) -> None:
    rnd = Random(seed)
    layout, tokens = random_layout(rnd, rnd.choice((2, 3, 4))), rnd.randint(1, 20)
    pages = [floor_pages(kind, tokens) for kind in layout.kinds]
    least = least_arena(layout, tokens)
    with pytest.raises(ArenaTooSmall) as caught:
        Allocator(layout, least - 1, max_tokens=tokens)
    assert caught.value.missing == 1
    for enough in (least, least + 1, least + 16, least + rnd.randint(17, 500)):
        allocator = Allocator(layout, enough, max_tokens=tokens)
        assert isinstance(allocator.allocate(pages), Grant), "all at once"
    with suppress(ArenaTooSmall):  # it may not even hold one page of each kind
        smaller = Allocator(layout, least - 1)
        assert isinstance(smaller.plan(pages), Refusal), "no layout of a smaller arena holds them"


def test_the_refusal_says_what_each_kind_needs_and_what_would_do() -> None:
    layout = toy_layout(("state", 64), ("window9", 48), ("full", 32), page_tokens=4)
    with pytest.raises(ArenaTooSmall) as caught:
        Allocator(layout, 2000, max_tokens=100)
    said = str(caught.value)
    assert "a request of 100 tokens takes 2 pages of state (128 bytes), 4 pages of window9 (768 bytes), " in said
    assert "25 pages of full (3200 bytes) above a sink of 256 bytes" in said
    give, tokens = (int(number) for number in re.findall(r"give (\d+) or more, or max_tokens = (\d+) at most", said)[0])
    assert give == 2000 + caught.value.missing
    Allocator(layout, give, max_tokens=100)
    Allocator(layout, 2000, max_tokens=tokens)
    with pytest.raises(ArenaTooSmall):
        Allocator(layout, 2000, max_tokens=tokens + 1)


def test_no_shorter_request_is_suggested_where_none_fits() -> None:
    layout = toy_layout(("state", 640), ("full", 32))
    with pytest.raises(ArenaTooSmall, match=r"give \d+ or more$"):
        Allocator(layout, 1200, max_tokens=5)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "8", True])
def test_a_length_that_is_none_is_a_misuse(wrong: object) -> None:
    with pytest.raises(Misuse, match="max_tokens"):
        Allocator(toy_layout(("state", 64), ("full", 32)), 10_000, max_tokens=wrong)  # type: ignore[arg-type]  # so it is


def test_real_models_need_what_their_longest_request_does() -> None:
    gpt = layout_of("gpt-oss-20b")
    assert gpt.max_context is not None
    pages = [floor_pages(kind, gpt.max_context) for kind in gpt.kinds]
    assert dict(zip([kind.name for kind in gpt.kinds], pages, strict=True)) == {"window128": 3, "full": 2048}
    Allocator(gpt, 4 * 10**9, device=MetadataDevice, max_tokens=gpt.max_context)
    with pytest.raises(ArenaTooSmall, match="2048 pages of full"):
        Allocator(gpt, 3 * 10**9, device=MetadataDevice, max_tokens=gpt.max_context)
    kimi = layout_of("kimi-k3", Options(tp_size=8))
    assert [floor_pages(kind, 1000) for kind in kimi.kinds] == [2, 16]


# ---------------------------------------------------------------------------------------- a request, token by token


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 120), st.integers(0, 1), st.integers(0, 12))
def test_a_request_that_is_walked_through_never_holds_more(
    window: int, page: int, tokens: int, ahead: int, prompt_pages: int
) -> None:
    """Prefill by pages, one at a time, then token by token with up to one forward in flight when the next begins."""
    (kind,) = chain_of([Stored(0, Lifetime.WINDOW, window, "k", (8,), DType.BF16)], page)
    (full,) = chain_of([Stored(0, Lifetime.FULL, None, "k", (8,), DType.BF16)], page)
    prompt = min(prompt_pages * page, tokens)
    held: set[int] = set()
    most = 0
    for begin in range(0, prompt, page):
        # a chunk begins when the one before has settled: its first token reads window - 1 tokens before it
        held = {each for each in held if (each + 1) * page > begin - (window - 1)}
        held.add(begin // page)
        most = max(most, len(held))
    for position in range(prompt, tokens):
        # the oldest forward that is still in flight, or this one
        oldest = max(position - ahead, prompt)
        held = {each for each in held if (each + 1) * page > oldest - (window - 1)}
        held.add(position // page)
        most = max(most, len(held))
    assert most <= floor_pages(kind, tokens)
    assert floor_pages(full, tokens) == len({position // page for position in range(tokens)})


def test_the_floor_of_a_window_is_reached() -> None:
    (kind,) = chain_of([Stored(0, Lifetime.WINDOW, 9, "k", (8,), DType.BF16)], 4)
    # tokens 3 to 11 are read for token 11 while token 12 is given its page
    assert floor_pages(kind, 13) == len({token // 4 for token in range(3, 13)}) == 4
