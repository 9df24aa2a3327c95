"""Pipeline parallelism in real processes: layouts of their own, the same ids, and admission where all stages admit."""

import random
from collections.abc import Iterator
from functools import partial

import pytest

from impl.misuse import Misuse
from impl.plan import Refusal
from impl.serving.engine.tiny import tiny
from impl.serving.host.cache import Write
from impl.serving.parallel.conjunction import Verdict, _refusal
from impl.serving.parallel.processes import Ranks
from impl.serving.parallel.stages import stage_layouts
from impl.serving.prefix.gathered import longest
from tests.serving.ranked import by_layers, is_right, refused_by_one
from tests.serving.running import tasks
from tests.serving.staged import ASKED as CACHED
from tests.serving.staged import (
    HOSTS,
    SPLITS,
    Begun,
    Room,
    after_a_window_gave_way,
    by_layers_cached,
    recalled,
    with_another_window,
)

ASKED = tasks(1, count=5)


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


@pytest.mark.parametrize("tight", [0, 1])
@pytest.mark.parametrize("split", [split for split in SPLITS if split != "windows of two lengths"])
def test_two_stages_say_what_one_process_says(two: Ranks, split: str, tight: int) -> None:
    layout, first = SPLITS[split]
    reports = two.results(by_layers, layout, first, ASKED, 3, tight)
    assert is_right(layout, ASKED, reports)
    assert reports[0].ended != reports[1].ended
    assert max(reports[0].ended) > 1, "two forwards were in flight"
    assert reports[0].retractions == reports[1].retractions > 0, "one lacks room, and both give way"


def test_four_stages_say_what_one_process_says() -> None:
    layout, first = tiny("gpt-oss-20b", layers=8), [0, 2, 4, 6]
    longer = with_another_window(layout, 4, 18)
    with Ranks(4) as four:
        reports = four.results(by_layers, layout, first, ASKED[:3], 3, 2)
        rooms = [Room(40, host=64), *[Room(64, 4, 48)] * 3]
        cached = four.results(by_layers_cached, longer, first, CACHED[:5], rooms)
    assert is_right(layout, ASKED[:3], reports)
    assert is_right(longer, CACHED[:5], cached)
    assert len({tuple(report.begun) for report in cached}) == 1
    assert all(max(report.begun) > 0 < report.loaded for report in cached)


@pytest.mark.parametrize(
    ("split", "rooms", "write"),
    [
        ("windows of two lengths", (Room(48), Room(200, 8)), "back"),
        ("no window in the second", HOSTS, "back"),
        ("a state and full attention in both", (Room(200, 8, 24), Room(48, host=200)), "through"),
    ],
)
def test_stages_with_a_cache_each_say_what_one_process_says(
    two: Ranks, split: str, rooms: tuple[Room, Room], write: Write
) -> None:
    layout, first = SPLITS[split]
    reports = two.results(by_layers_cached, layout, first, CACHED, rooms, write)
    assert is_right(layout, CACHED, reports)
    assert reports[0].begun == reports[1].begun
    assert reports[0].given_way == reports[1].given_way > 0
    assert reports[0].retractions == reports[1].retractions > 0
    for report, room in zip(reports, rooms, strict=True):
        assert max(report.begun) > 0, "a prompt that is known begins later"
        assert report.preempted > 0
        assert report.moved > 0
        assert max(report.ended) > 1, "two forwards were in flight"
        assert (report.backed_up > 0) == (report.loaded > 0) == (room.host > 0)
    if split == "windows of two lengths":
        assert reports[0].able != reports[1].able, "one alone would have gone on further"
    if room.host:
        assert reports[0].backed_up != reports[1].backed_up, "one host has room for less"


@pytest.mark.parametrize("seed", range(20))
def test_stages_find_the_longest_that_all_of_them_can(seed: int) -> None:
    chance = random.Random(seed)
    able = [{0, *chance.sample(range(1, 17), chance.randrange(16))} for _ in range(3)]

    def at_most(most: int, stage: int) -> int:
        return max(pages for pages in able[stage] if pages <= most)

    for stage in range(3):
        asked = [16]

        def gathered(what: str, own: int, stage: int = stage, asked: list[int] = asked) -> list[int]:
            said = [at_most(asked[-1], other) for other in range(3)]
            assert said[stage] == own
            asked.append(min(said))
            return said

        found = longest(partial(at_most, stage=stage), int, 16, "what", gathered)
        assert found == max(set.intersection(*able))


def test_a_text_goes_on_where_it_does_on_all_stages(two: Ranks) -> None:
    with_window, without = two.results(after_a_window_gave_way, *SPLITS["no window in the second"])
    assert with_window == [Begun(24, 24), Begun(16, 16)]
    assert without == [Begun(24, 24), Begun(24, 16)]


def test_what_one_host_lacks_or_one_device_has_no_room_for_comes_up_nowhere(two: Ranks) -> None:
    (kept, crowded, up), (lost, full, last) = two.results(recalled, *SPLITS["no window in the second"])
    assert (kept.is_below, lost.is_below) == (True, False)
    for refused in (kept, lost, crowded, full):
        assert refused.begun == refused.loaded == 0
        assert not refused.changed
    for recall in (up, last):
        assert recall.begun == 32
        assert recall.loaded > 0


def test_what_one_stage_refuses_all_refuse_and_nothing_has_changed_anywhere(two: Ranks) -> None:
    roomy, tight = two.results(refused_by_one, *SPLITS["no window in the second"])
    assert roomy.own
    assert not tight.own
    for refused in (roomy, tight):
        assert refused.reason == "never"
        assert refused.unchanged
        assert refused.admitted


def test_stages_that_refuse_for_different_reasons_answer_with_the_worst() -> None:
    waits, later = Verdict((), "after-release", (4,), ("a peer",)), Verdict((), "after-release", (3,))
    evicts, never = Verdict((), "evict"), Verdict((), "never")
    own = Refusal((1, 2), "evict", evict=(1, None))
    assert _refusal(own, [waits, later]) == Refusal((1, 2), "after-release", (3, 4), ("a peer",))
    assert _refusal(own, [waits, evicts]) == own
    # what this stage admits it has nothing to give up for
    assert _refusal(Refusal((1, 2), "after-release", (4,)), [waits, evicts]) == Refusal((1, 2), "evict", evict=(0, 0))
    for verdicts in ([waits, never], [never, evicts]):
        assert _refusal(own, verdicts) == Refusal((1, 2), "never")


@pytest.mark.parametrize(
    ("first", "said"),
    [([0, 3], "layers 0 to 2 keep state alone"), ([1, 4], "does not rise"), ([0, 8], "does not rise")],
)
def test_stages_that_cannot_be_are_refused(first: list[int], said: str) -> None:
    with pytest.raises(Misuse, match=said):
        stage_layouts(tiny("qwen3-next-80b-a3b", layers=8), first)
