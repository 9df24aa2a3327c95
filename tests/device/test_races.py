import pytest

from impl.device.runtime import Work
from impl.device.simulated.accesses import Race
from impl.device.simulated.runtime import SimulatedRuntime
from tests.device.work import in_pieces, work

OVERLAPPING = [((0, 32), (16, 48)), ((0, 48), (16, 32)), ((16, 17), (0, 48)), ((0, 16), (15, 16))]
APART = [((0, 16), (16, 32)), ((32, 48), (0, 32)), ((5, 6), (6, 7))]


def _run(first: dict[str, object], second: dict[str, object]) -> None:
    runtime = SimulatedRuntime()
    runtime.launch("one", work("first", **first))  # type: ignore[arg-type]  # reads or writes
    runtime.launch("two", work("second", **second))  # type: ignore[arg-type]  # likewise
    runtime.run_all()


@pytest.mark.parametrize(("one", "other"), OVERLAPPING)
def test_unordered_touches_of_common_bytes_are_a_race_if_one_writes(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    for first, second in (("writes", "reads"), ("reads", "writes"), ("writes", "writes")):
        with pytest.raises(Race, match="nothing orders it") as raised:
            _run({first: [one]}, {second: [other]})
        assert (raised.value.begin, raised.value.end) == (max(one[0], other[0]), min(one[1], other[1]))
    _run({"reads": [one]}, {"reads": [other]})


@pytest.mark.parametrize(("one", "other"), APART)
def test_touches_of_different_bytes_or_memories_are_no_race(one: tuple[int, int], other: tuple[int, int]) -> None:
    _run({"writes": [one]}, {"writes": [other]})
    _run({"writes": [(0, 64)]}, {"writes": [(0, 64)], "memory": "a page table"})


def test_a_race_says_who_touched_which_bytes() -> None:
    runtime = SimulatedRuntime()
    runtime.launch("compute", work("forward", reads=[(0, 64)]))
    runtime.transfer(in_pieces("receive", (32, 96), ticket=5))
    with pytest.raises(Race) as raised:
        runtime.run_all()
    said = str(raised.value)
    assert "ticket 5 (receive, on transfer 1) writes bytes 32 to 96 of arena (32-96)" in said
    assert "the allocator (forward, on compute) reads bytes 0 to 64 of arena" in said


def test_one_stream_is_in_order_with_itself() -> None:
    runtime = SimulatedRuntime()
    for _ in range(3):
        runtime.launch("one", work("again", reads=[(0, 8)], writes=[(4, 12)]))
    runtime.run_all()


def test_an_event_orders_two_streams_and_one_recorded_too_early_does_not() -> None:
    for late in (False, True):
        runtime = SimulatedRuntime()
        early = runtime.record("one")
        runtime.launch("one", work("first", writes=[(0, 8)]))
        runtime.wait("two", runtime.record("one") if late else early)
        runtime.launch("two", work("second", reads=[(0, 8)]))
        if late:
            runtime.run_all()
        else:
            with pytest.raises(Race):
                runtime.run_all()


def test_order_is_handed_on_from_stream_to_stream() -> None:
    runtime = SimulatedRuntime()
    runtime.launch("one", work("first", writes=[(0, 8)]))
    runtime.wait("two", runtime.record("one"))
    runtime.wait("three", runtime.record("two"))
    runtime.launch("three", work("second", writes=[(0, 8)]))
    runtime.run_all()


def test_what_the_host_has_seen_comes_before_all_that_it_asks_for() -> None:
    for seen in (False, True):
        runtime = SimulatedRuntime()
        runtime.launch("one", work("first", writes=[(0, 8)]))
        event = runtime.record("one")
        runtime.run_towards(event)
        if seen:
            assert runtime.is_done(event)
        end = runtime.transfer(in_pieces("send", (0, 8)))
        if not seen:
            with pytest.raises(Race):
                runtime.run_all()
            continue
        runtime.run_all()
        assert runtime.is_done(end)
        runtime.launch("two", work("third", writes=[(0, 8)]))
        runtime.run_all()


def test_a_race_shows_in_whatever_order_the_two_are_done() -> None:
    for choice in (0, 1):
        runtime = SimulatedRuntime()
        runtime.launch("one", work("first", writes=[(0, 8)]))
        runtime.launch("two", work("second", reads=[(0, 8)]))
        runtime.step(choice)
        with pytest.raises(Race):
            runtime.step(0)


@pytest.mark.parametrize("left_out", ["one", "two", "three"])
def test_every_reader_counts_for_a_later_writer(left_out: str) -> None:
    runtime = SimulatedRuntime()
    for stream in ("one", "two", "three"):
        runtime.launch(stream, work("reader", reads=[(0, 8), (8, 16)]))
    for stream in {"one", "two", "three"} - {left_out}:
        runtime.wait("writer", runtime.record(stream))
    runtime.launch("writer", work("writer", writes=[(4, 12)]))
    with pytest.raises(Race) as raised:
        runtime.run_all()
    assert raised.value.first.agent == left_out


def test_who_reads_a_part_does_not_read_the_rest() -> None:
    runtime = SimulatedRuntime()
    runtime.launch("one", work("all of it", reads=[(0, 16)]))
    runtime.launch("two", work("a part", reads=[(0, 8)]))
    runtime.wait("three", runtime.record("one"))
    runtime.launch("three", work("the rest", writes=[(8, 16)]))
    runtime.run_all()


def test_a_page_of_one_size_over_pages_of_another_is_compared_in_bytes() -> None:
    runtime = SimulatedRuntime()
    for page in range(4):
        runtime.launch("small", work("small", writes=[(48 * page, 48 * page + 48)]))
    runtime.wait("large", runtime.record("small"))
    runtime.launch("large", work("large", writes=[(80, 160)]))
    runtime.run_all()
    runtime.launch("other", work("beside", reads=[(160, 192)], writes=[]))
    with pytest.raises(Race) as raised:
        runtime.run_all()
    assert raised.value.first.work == "small"


def test_the_pieces_of_a_transfer_race_with_one_another_and_those_on_a_stream_do_not() -> None:
    for choice in (0, 1):
        runtime = SimulatedRuntime()
        runtime.transfer(in_pieces("receive", (0, 8), (4, 12)))
        runtime.step(choice)
        with pytest.raises(Race) as raised:
            runtime.run_all()
        assert (raised.value.begin, raised.value.end) == (4, 8)
    runtime = SimulatedRuntime()
    runtime.launch("host", in_pieces("copy", (0, 8), (4, 12)))
    runtime.run_all()


def test_a_piece_does_not_race_with_itself_and_a_transfer_that_ended_races_with_nobody() -> None:
    runtime = SimulatedRuntime()
    first, second = work("send", reads=[(0, 8)], writes=[(0, 8)]), work("send", writes=[(8, 16)])
    end = runtime.transfer(Work("send", (*first.pieces, *second.pieces)))
    runtime.run_all()
    assert runtime.is_done(end)
    runtime.launch("one", work("later", writes=[(0, 16)]))
    runtime.run_all()
