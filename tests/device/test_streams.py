from collections.abc import Callable
from itertools import product

import pytest

from impl.device.simulated.runtime import SimulatedEvent, SimulatedRuntime
from tests.device.work import in_pieces, work

Put = Callable[[SimulatedRuntime], None]


def _orders(put: Put, most: int = 4) -> set[tuple[str, ...]]:
    """Every order in which the work can be done, found by trying all choices."""
    found = set()
    for choices in product(range(most), repeat=5):
        runtime = SimulatedRuntime(keep=True)
        put(runtime)
        for choice in choices:
            runtime.step(choice)
        runtime.run_all()
        found.add(tuple(name for _, name, _ in runtime.done))
    return found


def test_nothing_is_done_until_it_is_forced() -> None:
    runtime = SimulatedRuntime(keep=True)
    runtime.launch("compute", work("forward"))
    event = runtime.record("compute")
    assert not runtime.is_done(event)
    assert runtime.done == []
    runtime.run_towards(event)
    assert runtime.is_done(event)
    assert runtime.done == [("compute", "forward", ())]
    assert not runtime.step(0)


def test_a_stream_keeps_its_order_and_streams_have_none_between_them() -> None:
    def put(runtime: SimulatedRuntime) -> None:
        for stream, name in (("one", "a"), ("one", "b"), ("other", "c"), ("other", "d")):
            runtime.launch(stream, work(name))

    orders = _orders(put)
    assert orders == {
        order for order in orders if order.index("a") < order.index("b") and order.index("c") < order.index("d")
    }
    assert len(orders) == 6


def test_a_wait_orders_what_is_put_behind_it_and_not_what_is_there_already() -> None:
    def put(runtime: SimulatedRuntime) -> None:
        runtime.launch("one", work("a"))
        event = runtime.record("one")
        runtime.launch("one", work("late"))
        runtime.launch("other", work("before"))
        runtime.wait("other", event)
        runtime.launch("other", work("b"))

    orders = _orders(put)
    assert all(order.index("a") < order.index("b") for order in orders)
    assert {order.index("before") < order.index("a") for order in orders} == {True, False}
    assert {order.index("late") < order.index("b") for order in orders} == {True, False}


def test_waiting_reaches_through_other_streams() -> None:
    runtime = SimulatedRuntime(keep=True)
    runtime.launch("one", work("a"))
    for before, after in (("one", "two"), ("two", "three")):
        runtime.wait(after, runtime.record(before))
    runtime.launch("three", work("b"))
    event = runtime.record("three")
    assert runtime.choices() == 1
    runtime.run_towards(event)
    assert [name for _, name, _ in runtime.done] == ["a"]
    runtime.run_towards(event)
    assert runtime.is_done(event)


def test_an_event_is_of_what_was_on_the_stream_when_it_was_recorded() -> None:
    runtime = SimulatedRuntime()
    assert runtime.is_done(runtime.record("empty"))
    runtime.launch("one", work("a"))
    first = runtime.record("one")
    runtime.launch("one", work("b"))
    second = runtime.record("one")
    runtime.step(0)
    assert (runtime.is_done(first), runtime.is_done(second)) == (True, False)


def test_transfers_land_in_pieces_and_in_any_order() -> None:
    landed: list[set[str]] = []
    for choices in product(range(3), repeat=3):
        runtime = SimulatedRuntime(keep=True)
        end = runtime.transfer(in_pieces("receive", (0, 8), (8, 16), (16, 24)))
        order = []
        for place, choice in enumerate(choices):
            assert runtime.step(choice)
            assert runtime.is_done(end) == (place == 2)
            order.append(runtime.done[-1][2][0])
        landed.append(set(order))
        assert len(order) == 3
    assert all(each == {"0-8", "8-16", "16-24"} for each in landed)


def test_a_copy_in_pieces_lets_others_in_between() -> None:
    def put(runtime: SimulatedRuntime) -> None:
        runtime.launch("host", in_pieces("copy", (0, 8), (8, 16)))
        runtime.launch("compute", work("forward"))

    assert _orders(put) == {
        ("copy", "copy", "forward"),
        ("copy", "forward", "copy"),
        ("forward", "copy", "copy"),
    }


def test_work_can_be_forced_with_all_that_it_needs_and_nothing_else() -> None:
    runtime = SimulatedRuntime(keep=True)
    wanted = work("wanted")
    runtime.launch("one", work("needed"))
    runtime.wait("two", runtime.record("one"))
    runtime.launch("two", wanted)
    runtime.launch("two", work("behind"))
    runtime.launch("three", work("beside"))
    runtime.run_through(wanted)
    assert [name for _, name, _ in runtime.done] == ["needed", "wanted"]


def test_the_hosts_waits_are_counted_and_its_questions_are_not() -> None:
    runtime = SimulatedRuntime()
    runtime.launch("one", work("a"))
    event: SimulatedEvent = runtime.record("one")
    assert not runtime.is_done(event)
    assert runtime.host_waits == 0
    runtime.synchronize(event)
    assert runtime.is_done(event)
    assert runtime.host_waits == 1


@pytest.mark.parametrize("choice", [0, 1, 2, 7, 1 << 40])
def test_any_number_is_a_choice(choice: int) -> None:
    runtime = SimulatedRuntime(keep=True)
    runtime.launch("one", work("a"))
    runtime.transfer(in_pieces("b", (0, 1)))
    assert runtime.choices() == 2
    assert runtime.step(choice)
    assert runtime.done[0][1] == ("a" if choice % 2 == 0 else "b")
