"""What fits, against a request walked through token by token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl.layout import DType, Lifetime, Stored, chain_of, layout_of, load, pages_alone, pages_for


def _touched(window: int | None, page_tokens: int, context: int) -> int:
    """The most pages that hold a token still needed, over all lengths up to `context`."""
    most = 0
    for length in range(1, context + 1):
        first = 0 if window is None else max(0, length - window)
        most = max(most, (length - 1) // page_tokens - first // page_tokens + 1)
    return most


@given(st.one_of(st.none(), st.integers(1, 60)), st.integers(1, 20), st.integers(1, 200))
def test_a_request_has_the_pages_that_its_tokens_touch_and_one_more_at_most(
    window: int | None, page_tokens: int, context: int
) -> None:
    lifetime = Lifetime.FULL if window is None else Lifetime.WINDOW
    (kind,) = chain_of([Stored(0, lifetime, window, "k", (8,), DType.BF16)], page_tokens)
    touched = _touched(window, page_tokens, context)
    assert touched <= pages_for(kind, context) <= touched + 1
    if window is not None and context >= window + page_tokens:
        assert pages_for(kind, context) == touched


def test_a_state_is_one_page_whatever_the_context() -> None:
    state = layout_of("kimi-k3").kind("state")
    assert {pages_for(state, context) for context in (1, 64, 1 << 20)} == {1}


def test_so_many_requests_of_gpt_oss_fit_into_141_gb() -> None:
    fits = load(layout_of("gpt-oss-20b"), 131_072, 141 * 10**9)
    assert fits.pages == {"window128": 3, "full": 2_048}
    assert fits.request_bytes == 2_051 * 1_572_864
    assert fits.requests == 43


@pytest.mark.parametrize("name", ["gpt-oss-20b", "inkling-small"])
def test_one_kind_alone_fills_the_memory(name: str) -> None:
    for kind in layout_of(name).kinds:
        pages = pages_alone(kind, 141 * 10**9)
        assert pages * kind.page_bytes <= 141 * 10**9 < (pages + 1) * kind.page_bytes
