"""Pipeline parallelism in real processes: layouts of their own, the same ids, and admission where all stages admit."""

from collections.abc import Iterator

import pytest

from impl.layout import Layout
from impl.misuse import Misuse
from impl.plan import Refusal
from impl.serving.engine.tiny import tiny
from impl.serving.parallel.conjunction import Verdict, _refusal
from impl.serving.parallel.processes import Ranks
from impl.serving.parallel.stages import stage_layouts, with_layers
from tests.serving.ranked import by_layers, is_right, refused_by_one
from tests.serving.running import tasks

ASKED = tasks(1, count=5)
SPLITS: dict[str, tuple[Layout, list[int]]] = {
    "a window and full attention in both": (tiny("gpt-oss-20b", layers=6), [0, 2]),
    "a state and full attention in both": (tiny("qwen3-next-80b-a3b", layers=8), [0, 4]),
    "no window in the second": (with_layers(tiny("inkling-small", layers=12), [0, 1, 5, 11]), [0, 6]),
}


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


@pytest.mark.parametrize("tight", [0, 1])
@pytest.mark.parametrize("split", SPLITS)
def test_two_stages_say_what_one_process_says(two: Ranks, split: str, tight: int) -> None:
    layout, first = SPLITS[split]
    reports = two.results(by_layers, layout, first, ASKED, 3, tight)
    assert is_right(layout, ASKED, reports)
    assert reports[0].ended != reports[1].ended
    assert max(reports[0].ended) > 1, "two forwards were in flight"
    assert reports[0].retractions == reports[1].retractions > 0, "one lacks room, and both give way"


def test_four_stages_say_what_one_process_says() -> None:
    layout, first = tiny("gpt-oss-20b", layers=8), [0, 2, 4, 6]
    with Ranks(4) as four:
        reports = four.results(by_layers, layout, first, ASKED[:3], 3, 2)
    assert is_right(layout, ASKED[:3], reports)


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
