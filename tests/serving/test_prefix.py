"""The prefix cache: what is reused is what was computed, and what gives way is no more than is needed."""

import random

import pytest

from impl.misuse import Misuse
from impl.plan import Refusal
from impl.serving.engine.engine import Policy
from impl.serving.engine.tiny import PATTERNS, tiny
from tests.serving.running import TOLERANCE, Served, Task, drive, furthest, quiet, room_for, serve

POLICY = Policy(most_running=3, chunk=7, positions=96, interval=8)


def conversations(seed: int, count: int = 9) -> list[Task]:
    """Prompts that begin like earlier ones, or like none."""
    rng = random.Random(seed)
    texts: list[tuple[int, ...]] = [()]
    asked = []
    for _ in range(count):
        beginning = rng.choice(texts)
        beginning = beginning[: rng.randrange(len(beginning) + 1)] if rng.random() < 0.5 else beginning
        prompt = beginning + tuple(rng.randrange(96) for _ in range(rng.randrange(1, 14)))
        if len(prompt) <= 40:
            texts.append(prompt)
        asked.append(Task(prompt, rng.randrange(2, 6)))
    return asked


def _serve_one_after_the_other(served: Served, asked: list[Task], seed: int) -> float:
    jobs = []
    for task in asked:
        jobs.append(served.engine.submit(task.prompt, task.new_tokens))
        drive(served, random.Random(seed))
    return furthest(served.layout, asked, jobs)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_cached_prefix_changes_no_logit(pattern: str) -> None:
    layout, asked = tiny(pattern), conversations(3)
    served = serve(layout, room_for(layout, 400, states=24), late=True, policy=POLICY)
    assert _serve_one_after_the_other(served, asked, 1) < TOLERANCE
    prefix = served.engine.prefix
    assert prefix is not None
    assert prefix.hit_tokens > prefix.asked_tokens // 5


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_gives_way_under_pressure_changes_no_logit(pattern: str) -> None:
    layout, asked = tiny(pattern), conversations(3, count=14)
    served = serve(layout, room_for(layout, 80, states=5), late=True, policy=POLICY)
    chance, jobs = random.Random(5), []
    for first, second in zip(asked[::2], asked[1::2], strict=True):
        jobs += [served.engine.submit(task.prompt, task.new_tokens) for task in (first, second)]
        drive(served, random.Random(2), lambda: quiet(served) if chance.random() < 0.3 else None)
    assert furthest(layout, asked, jobs) < TOLERANCE
    prefix = served.engine.prefix
    assert prefix is not None
    assert prefix.hit_tokens > 0
    assert served.allocator.statistics().refusals.get("evict", 0) > 0


def test_a_cache_that_is_cleared_holds_nothing() -> None:
    layout, asked = tiny("inkling-small"), conversations(3)
    served = serve(layout, room_for(layout, 400, states=24), policy=POLICY)
    _serve_one_after_the_other(served, asked, 1)
    assert served.engine.prefix is not None
    assert any(kind.live for kind in served.allocator.statistics().kinds)
    served.engine.prefix.clear()
    assert not any(kind.live or kind.withheld for kind in served.allocator.statistics().kinds)


def test_only_as_much_gives_way_as_is_asked_for() -> None:
    layout = tiny("gpt-oss-20b")
    served = serve(layout, room_for(layout, 100), policy=POLICY)
    prefix = served.engine.prefix
    assert prefix is not None
    for first in range(4):
        served.engine.submit([first] * 24, 2)
        drive(served, random.Random(1))
    before = _live(served)
    refusal = _refused(served, "full")
    assert prefix.give_way(refusal)
    paid = [was - now for was, now in zip(before, _live(served), strict=True)]
    assert sum(map(bool, paid)) == 1
    assert [pages for pages in paid if pages] == [refusal.evict[band] for band, pages in enumerate(paid) if pages]
    # the text that was used longest ago is the one that went
    assert prefix.begin([0] * 25).tokens < prefix.begin([3] * 25).tokens


def _live(served: Served) -> list[int]:
    return [kind.live for kind in served.allocator.statistics().kinds]


def _refused(served: Served, name: str) -> Refusal:
    """The refusal of the second smallest demand of a kind that is not met."""
    plans = (served.allocator.plan({name: count}) for count in range(1, 10_000))
    refusals = (plan for plan in plans if isinstance(plan, Refusal))
    next(refusals)
    return next(refusals)


def test_what_a_request_uses_is_never_let_go_of() -> None:
    layout = tiny("gpt-oss-20b")
    served = serve(layout, room_for(layout, 100), policy=POLICY)
    prefix = served.engine.prefix
    assert prefix is not None
    served.engine.submit([7] * 24, 2)
    drive(served, random.Random(1))
    request = prefix.begin([7] * 25)
    assert request.tokens == 24
    before = _live(served)
    refused = _refused(served, "full")
    while prefix.give_way(refused):
        pass
    for band, ids in enumerate(request.pages):
        assert (served.allocator.count_references(band, ids) == 2).all()
    assert _live(served) != before


def test_an_interval_that_ends_within_a_page_is_refused() -> None:
    layout = tiny("gpt-oss-20b")
    with pytest.raises(Misuse, match="interval"):
        serve(layout, room_for(layout, 100), policy=Policy(interval=6))
