"""The guard finds what a GPU would suffer, to the byte, and is quiet otherwise."""

from collections.abc import Callable
from functools import partial

import pytest
import torch

from fuzz.interpreter.bounds import Bounds
from fuzz.interpreter.findings import AssertionFailed, Finding, OrderDependence, OutOfBounds, Overflow, Race
from fuzz.interpreter.guard import guarded
from fuzz.interpreter.orders import in_every_order
from tests.kernels.interpreted import toys


def zeros(count: int = 8, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.zeros(count, dtype=dtype)


def _in_a_slice(kernel: Callable[[torch.Tensor], object]) -> None:
    """What lies around the tensor is the test's own memory, and no business of the kernel's."""
    kernel(zeros(24)[8:16])


WRONG: list[tuple[str, Callable[[], object], type[Finding], str]] = [
    (
        "the element behind the last",
        lambda: _in_a_slice(lambda cut: toys.store_at[(1,)](cut, 8)),
        OutOfBounds,
        "writes 8 bytes at byte 64 of target, which has 64",
    ),
    (
        "the element before the first",
        lambda: _in_a_slice(lambda cut: toys.store_at[(1,)](cut, -1)),
        OutOfBounds,
        "writes 8 bytes at byte -8 of target",
    ),
    (
        "from one tensor into the next",
        lambda: (lambda whole: toys.load_block[(1,)](whole[:8], whole[8:], SIZE=16))(zeros(32)),
        OutOfBounds,
        "reads 8 bytes at byte 64 of source, which has 64",
    ),
    (
        "a pointer that jumps from one tensor to another",
        lambda: (lambda whole: toys.store_beside[(1,)](whole[:8], whole[8:]))(zeros(16)),
        OutOfBounds,
        "writes 8 bytes at byte 64 of low, which has 64",
    ),
    (
        "far away",
        lambda: toys.store_at[(1,)](zeros(), 1 << 40),
        OutOfBounds,
        "writes 8 bytes at byte 8796093022208 of target",
    ),
    (
        "half an element of the last",
        lambda: toys.store_at[(1,)](zeros(9, torch.int32)[:7].view(torch.uint8)[:26].view(torch.int16), 13),
        OutOfBounds,
        "writes 2 bytes at byte 26 of target, which has 26",
    ),
    (
        "a load behind the last",
        lambda: _in_a_slice(lambda cut: toys.load_block[(1,)](cut, zeros(16), SIZE=16)),
        OutOfBounds,
        "reads 8 bytes at byte 64 of source",
    ),
    (
        "a mask that is one too wide",
        lambda: _in_a_slice(lambda cut: toys.masked_block[(1,)](cut, 9, SIZE=16)),
        OutOfBounds,
        "writes 8 bytes at byte 64 of target",
    ),
    (
        "one program reads what another writes",
        lambda: toys.pass_on[(3,)](zeros()),
        Race,
        r"writes, and program \(\d, 0, 0\) reads at byte \d+ of values",
    ),
    ("two programs write the same", lambda: toys.write_same[(2,)](zeros()), Race, "writes, and program"),
    (
        "two elements of one store",
        lambda: toys.scatter[(1,)](zeros(), torch.tensor([3, 1, 3, 0]), SIZE=4),
        Race,
        r"two elements of one store of program \(0, 0, 0\) meet at byte 24 of target",
    ),
    (
        "an atomic and a plain load",
        lambda: toys.read_counter[(2,)](zeros(1), zeros(1)),
        Race,
        "updates atomically, and program .* reads",
    ),
    ("a product beyond 32 bits", lambda: toys.multiply[(1,)](zeros(1), 1 << 20, 1 << 12), Overflow, "overflow"),
    (
        "a number that is cut to 32 bits",
        lambda: toys.narrow[(1,)](zeros(1), torch.tensor([1 << 31])),
        Overflow,
        "2147483648 does not fit int32",
    ),
    ("a failed assertion", lambda: toys.insist[(1,)](zeros(1)), AssertionFailed, "not positive"),
]


@pytest.mark.parametrize(("launch", "finding", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
@pytest.mark.parametrize("order", [None, 1, 2])
def test_a_wrong_launch_is_found(
    launch: Callable[[], object], finding: type[Finding], words: str, order: int | None
) -> None:
    with pytest.raises(finding, match=words), guarded(order=order):
        launch()


RIGHT: list[tuple[str, Callable[[], object]]] = [
    ("the last element", lambda: _in_a_slice(lambda cut: toys.store_at[(1,)](cut, 7))),
    ("a mask that fits", lambda: _in_a_slice(lambda cut: toys.masked_block[(1,)](cut, 8, SIZE=16))),
    ("a mask that lets nothing through", lambda: toys.masked_block[(1,)](zeros(1), 0, SIZE=16)),
    ("distinct places", lambda: toys.scatter[(1,)](zeros(), torch.tensor([3, 1, 7, 0]), SIZE=4)),
    ("atomics alone", lambda: toys.count_programs[(5,)](zeros(1))),
    ("programs that read the same", lambda: toys.narrow[(1,)](zeros(1), torch.tensor([-(1 << 31)]))),
    ("a product within 32 bits", lambda: toys.multiply[(1,)](zeros(1), 1 << 20, 1 << 10)),
    ("an assertion that holds", lambda: toys.insist[(1,)](torch.ones(1, dtype=torch.int64))),
    ("the same tensor twice", lambda: (lambda one: toys.load_block[(1,)](one, one, SIZE=8))(zeros())),
]


@pytest.mark.parametrize("launch", [case[1] for case in RIGHT], ids=[case[0] for case in RIGHT])
def test_a_right_launch_is_left_alone(launch: Callable[[], object]) -> None:
    with guarded(order=1) as watched:
        launch()
    assert (watched.launches, watched.programs > 0, watched.accesses > 0) == (1, True, True)


def test_programs_run_in_the_order_of_the_seed() -> None:
    seen = set()
    for seed in range(5):
        value = zeros(1)
        with guarded(order=seed):
            toys.last_one[(4,)](value)
        seen.add(int(value))
    assert len(seen) > 1


def test_a_result_that_depends_on_the_order_is_found_without_a_race() -> None:
    value = zeros(1)
    with guarded():
        toys.last_one[(4,)](value)
    with pytest.raises(OrderDependence):
        in_every_order(partial(toys.last_one[(4,)], value), [value], seeds=range(5))


def test_a_sum_of_atomics_depends_on_no_order() -> None:
    counter = zeros(1)
    in_every_order(partial(toys.count_programs[(5,)], counter), [counter], seeds=range(5))
    assert counter.item() == 5


def test_the_interpreter_is_as_it_was_behind_the_guard() -> None:
    with pytest.raises(AssertionFailed), guarded():
        toys.insist[(1,)](zeros(1))
    toys.insist[(1,)](zeros(1))
    toys.write_same[(2,)](zeros())


def test_neighbouring_tensors_are_two_and_overlapping_ones_are_one() -> None:
    whole = zeros(4)
    begin = whole.data_ptr()
    addresses = torch.tensor([begin + 12, begin + 16, begin + 24]).numpy().astype("uint64")
    assert Bounds([("low", whole[:2]), ("high", whole[2:])]).outside(addresses, 8).tolist() == [begin + 12]
    assert Bounds([("low", whole[:3]), ("high", whole[1:])]).outside(addresses, 8).tolist() == []
    assert Bounds([]).outside(addresses, 1).tolist() == addresses.tolist()


def test_every_finding_names_a_property() -> None:
    named = {each: each.property for each in Finding.__subclasses__()}
    assert named == {
        OutOfBounds: "index-range",
        Overflow: "index-range",
        AssertionFailed: "index-range",
        Race: "race-free",
        OrderDependence: "race-free",
    }
