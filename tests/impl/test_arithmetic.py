"""The placing step and admission by arithmetic, against trying every span."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from impl.arithmetic.admission import Needs, feasible, free_from, free_until, least_eviction
from impl.arithmetic.grid import address, ceil_div, first_page_from, pages_until
from impl.arithmetic.placement import place_high, place_low

BASE, CAPACITY = 3, 18
"""Bytes; no band's page 0 begins above the base."""
numbers = st.integers(0, 5)
bytes_ = st.integers(BASE, CAPACITY)


@st.composite
def needs(draw: st.DrawFn) -> Needs:
    """A band whose pinned pages, if any, lie inside the arena."""
    origin, size = draw(st.integers(0, BASE)), draw(st.integers(1, 5))
    first, top = first_page_from(origin, size, BASE), pages_until(origin, size, CAPACITY)
    lo = draw(st.integers(first, top))
    hi = draw(st.integers(lo, min(lo + 3, top)))
    return Needs(origin, size, draw(numbers), lo, hi)


def spans(need: Needs) -> list[tuple[int, int]]:
    """Every span that has what the band needs; an empty one may be anywhere."""
    pages = range((CAPACITY - need.origin) // need.size + 1)
    return [
        (lo, hi)
        for lo, hi in product(pages, pages)
        if hi - lo >= need.need and (need.pin_lo == need.pin_hi or (lo <= need.pin_lo and need.pin_hi <= hi))
    ]


@given(st.integers(-50, 50), st.integers(1, 9))
def test_ceil_div_rounds_up(dividend: int, divisor: int) -> None:
    assert ceil_div(dividend, divisor) * divisor >= dividend > (ceil_div(dividend, divisor) - 1) * divisor


@given(st.integers(0, 9), st.integers(1, 9), st.integers(0, 99))
def test_pages_on_both_sides_of_a_byte(origin: int, size: int, byte: int) -> None:
    page = first_page_from(origin, size, byte)
    assert address(origin, size, page) >= byte > address(origin, size, page - 1)
    page = pages_until(origin, size, byte)
    assert address(origin, size, page) <= byte < address(origin, size, page + 1)


@given(needs(), bytes_)
def test_the_lowest_placement_ends_no_later_than_any_other(need: Needs, free: int) -> None:
    lo, hi, end, placed = place_low(free, *need)
    others = [(its_lo, its_hi) for its_lo, its_hi in spans(need) if address(*need[:2], its_lo) >= free]
    if placed and address(*need[:2], hi) <= CAPACITY:
        assert (lo, hi) in others
        assert end == (address(*need[:2], hi) if lo < hi else free)
    for its_lo, its_hi in others:
        assert placed
        assert end <= (address(*need[:2], its_hi) if its_lo < its_hi else free)


@given(needs(), bytes_)
def test_the_highest_placement_starts_no_earlier_than_any_other(need: Needs, limit: int) -> None:
    lo, hi, start, placed = place_high(limit, *need)
    others = [(its_lo, its_hi) for its_lo, its_hi in spans(need) if address(*need[:2], its_hi) <= limit]
    if placed and lo >= 0:
        assert (lo, hi) in others
        assert start == (address(*need[:2], lo) if lo < hi else limit)
    for its_lo, its_hi in others:
        assert placed
        assert start >= (address(*need[:2], its_lo) if its_lo < its_hi else limit)


def fits(chain: list[Needs]) -> bool:
    """By trying every combination of spans; the last band must end as high as its pages can."""
    top = pages_until(*chain[-1][:2], CAPACITY)
    last = [(lo, hi) for lo, hi in spans(chain[-1]) if hi == top]
    return _fits(chain, [*map(spans, chain[:-1]), last], BASE)


def _fits(chain: list[Needs], choices: list[list[tuple[int, int]]], free: int) -> bool:
    if not chain:
        return True
    (origin, size, *_), *others = chain
    return any(
        _fits(others, choices[1:], address(origin, size, hi) if lo < hi else free)
        for lo, hi in choices[0]
        if lo == hi or address(origin, size, lo) >= free
    )


@settings(deadline=None)
@given(st.lists(needs(), min_size=2, max_size=3))
def test_feasible_is_exact(chain: list[Needs]) -> None:
    assert feasible(BASE, CAPACITY, chain) == fits(chain)


@settings(deadline=None)
@given(st.lists(needs(), min_size=2, max_size=3), st.integers(0, 2), numbers, numbers)
def test_the_least_eviction_is_exact(chain: list[Needs], which: int, live: int, demand: int) -> None:
    band = which % len(chain)
    chain = [need._replace(pin_lo=0, pin_hi=0) for need in chain]

    def giving_up(count: int) -> list[Needs]:
        changed = chain.copy()
        changed[band] = chain[band]._replace(need=live - count + demand)
        return changed

    whole = giving_up(0)
    froms, limits = free_from(BASE, whole), free_until(CAPACITY, whole)
    count, suffices = least_eviction(froms[band], limits[band], *chain[band][:2], live, demand)
    expected = next((given_up for given_up in range(live + 1) if fits(giving_up(given_up))), None)
    assert (count if suffices else None) == expected
