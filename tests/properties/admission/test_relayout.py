"""The allocator's order of relayout: the specification's, and legal at every step between any two layouts there are."""

from collections.abc import Sequence
from itertools import combinations, product

import pytest

from impl.relayout import in_legal_order
from properties.plain import NO_SOLVER
from spec.admission.relayout import grown, is_before, takes_turn
from spec.logic import install
from spec.state import State

Span = tuple[int, int]
Layout = tuple[Span, ...]
SIZES, BYTES = (2, 1, 1, 2), 6


def bytes_of(band: int, span: Span) -> tuple[int, int]:
    return span[0] * SIZES[band], span[1] * SIZES[band]


def is_legal(layout: Layout) -> bool:
    taken = [bytes_of(band, span) for band, span in enumerate(layout) if span[0] < span[1]]
    return all(low[1] <= high[0] for low, high in combinations(taken, 2))


def layouts() -> list[Layout]:
    """Every legal one of a chain whose ends are anchored; empty floats are at page 0."""
    last = len(SIZES) - 1
    choices = []
    for band, size in enumerate(SIZES):
        pages = range(BYTES // size + 1)
        spans = [(lo, hi) for lo, hi in product(pages, pages) if lo < hi]
        if band == 0:
            choices.append([(0, 0), *[span for span in spans if span[0] == 0]])
        elif band == last:
            choices.append([(BYTES // size, BYTES // size), *[span for span in spans if span[1] == BYTES // size]])
        else:
            choices.append([(0, 0), *spans])
    return [layout for layout in product(*choices) if is_legal(layout)]


def keeps_spans(now: Layout, then: Layout) -> bool:
    return all(new[0] < new[1] for old, new in zip(now, then, strict=True) if old[0] < old[1])


def as_state(layout: Layout) -> State:
    return State(bands=len(layout), lo=[lo for lo, _ in layout], hi=[hi for _, hi in layout])


def in_turn(now: Layout, then: Layout, order: Sequence[int]) -> bool:
    """Whether every band grows into room that is free, so that all layouts on the way are legal."""
    here = list(now)
    for band in order:
        old, new = here[band], then[band]
        both = (min(old[0], new[0]), max(old[1], new[1])) if old[0] < old[1] else new
        for span in (both, new):
            here[band] = span
            if not is_legal(tuple(here)):
                return False
    wanted = [(new if new[0] < new[1] else old) for old, new in zip(now, then, strict=True)]
    return here == wanted


def test_between_any_two_layouts_of_a_small_chain_every_step_is_legal() -> None:
    install(NO_SOLVER)
    every = layouts()
    pairs = [(now, then) for now, then in product(every, every) if keeps_spans(now, then)]
    moved = 0
    for now, then in pairs:
        order = in_legal_order(now, then)
        assert in_turn(now, then, order), (now, then)
        moved += len(order) > 2
    assert len(pairs) > 5_000
    assert moved > 500


def test_the_specification_has_the_same_order_and_the_same_grown_spans() -> None:
    install(NO_SOLVER)
    every = layouts()
    pairs = [(now, then) for now, then in product(every[::3], every[::2]) if keeps_spans(now, then)]
    assert len(pairs) > 500
    for now, then in pairs:
        order, states = in_legal_order(now, then), (as_state(now), as_state(then))
        assert set(order) == {band for band in range(len(now)) if takes_turn(*states, band)}
        for one, other in combinations(order, 2):
            assert is_before(*states, one, other), (now, then)
            assert not is_before(*states, other, one), (now, then)
        for band in order:
            lo, hi = grown(*states, band)
            old, new = now[band], then[band]
            assert (lo, hi) == ((min(old[0], new[0]), max(old[1], new[1])) if old[0] < old[1] else new)


@pytest.mark.parametrize("wrong", [lambda order: order[::-1], sorted, lambda order: order[:-1]])
def test_another_order_is_found_out(wrong: object) -> None:
    every = layouts()
    assert callable(wrong)
    pairs = ((now, then) for now, then in product(every, every) if keeps_spans(now, then))
    assert not all(in_turn(now, then, wrong(in_legal_order(now, then))) for now, then in pairs)
