"""Stacks, sieves and id spaces against lists and sets."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from impl.ids import IdSpace
from impl.numbers import Sieve
from impl.stack import Stack

LIMIT = 30
batches = st.lists(st.integers(0, LIMIT - 1), max_size=LIMIT)


@given(st.lists(st.tuples(batches, st.integers(0, LIMIT)), max_size=12))
def test_a_stack_is_a_list(steps: list[tuple[list[int], int]]) -> None:
    stack, model = Stack(12 * LIMIT), list[int]()
    for pushed, popped in steps:
        stack.push(np.array(pushed, np.int64))
        model += pushed
        assert stack.peek(popped).tolist() == model[::-1][:popped]
        popped = min(popped, len(model))
        assert stack.pop(popped).tolist() == [model.pop() for _ in range(popped)]
        assert len(stack) == len(model)


@given(st.lists(batches, max_size=6))
def test_a_sieve_keeps_each_number_once(inputs: list[list[int]]) -> None:
    sieve = Sieve(LIMIT)
    for numbers in inputs:
        batch = np.array(numbers, np.int64)
        once = sieve.once(batch)
        assert sorted(once.tolist()) == sorted(set(numbers))
        assert (once is batch) == (len(set(numbers)) == len(numbers))


@given(st.lists(st.tuples(batches, batches), max_size=6))
def test_a_sieve_finds_common_numbers(inputs: list[tuple[list[int], list[int]]]) -> None:
    sieve = Sieve(LIMIT)
    for numbers, others in inputs:
        found = sieve.among(np.array(numbers, np.int64), np.array(others, np.int64))
        assert found.tolist() == [number in others for number in numbers]


@given(st.lists(st.lists(st.integers(0, LIMIT - 1), unique=True), min_size=1, max_size=6))
def test_a_sieve_counts_in_how_many_batches_a_number_is(inputs: list[list[int]]) -> None:
    numbers, times = Sieve(LIMIT).counted([np.array(batch, np.int64) for batch in inputs])
    counted = Counter(number for batch in inputs for number in batch)
    assert numbers.size == len(counted)
    assert dict(zip(numbers.tolist(), times.tolist(), strict=True)) == counted


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20))
def test_ids_are_unique_while_they_are_out(steps: list[tuple[int, int]]) -> None:
    space, out = IdSpace(3, LIMIT), list[int]()
    for minted, recycled in steps:
        new = space.mint(min(minted, LIMIT - 3 - len(out))).tolist()
        assert set(new).isdisjoint(out)
        assert all(3 <= each < LIMIT for each in new)
        out += new
        back, out = out[:recycled], out[recycled:]
        space.recycle(np.array(back, np.int64))
        assert sorted([*space.mintable().tolist(), *out]) == list(range(3, LIMIT))
