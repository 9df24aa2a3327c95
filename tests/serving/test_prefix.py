"""The prefix cache: what is reused is what was computed, and what gives way is no more than is needed."""

import random
from dataclasses import replace

import pytest

from impl.layout import Layout
from impl.misuse import Misuse
from impl.plan import Refusal
from impl.serving.engine.engine import Policy
from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.prefix.cache import PrefixCache
from tests.serving.running import TOLERANCE, Served, Task, drive, furthest, options, quiet, room_for, serve

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


def long_after_short(layout: Layout) -> tuple[Served, list[Task]]:
    """An arena that short texts have filled, and a long one for which no kind alone could give enough."""
    policy = replace(POLICY, chunk=36, interval=36)
    short = [Task(tuple(range(first, first + 11)), 2) for first in (0, 20, 40)]
    return serve(layout, room_for(layout, 36), policy=policy), [*short, Task(tuple(range(50, 85)), 3)]


def test_kinds_of_which_none_suffices_alone_give_way_together() -> None:
    served, asked = long_after_short(tiny("gpt-oss-20b"))
    assert _serve_one_after_the_other(served, asked, 1) < TOLERANCE
    assert served.engine.retractions == 0


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


def _short_of(served: Served, **pages: int) -> Refusal:
    """A refusal that is over once one of these kinds has let go of so many pages."""
    names = served.allocator.chain.names
    return Refusal((0,) * len(names), "evict", evict=tuple(pages.get(name) for name in names))


def _cached(layout: Layout, *texts: list[int]) -> tuple[Served, PrefixCache]:
    """What has served some texts, one after the other."""
    served = serve(layout, room_for(layout, 200, states=24), policy=replace(POLICY, interval=layout.page_tokens * 2))
    for text in texts:
        served.engine.submit(text, 2)
        drive(served, random.Random(1))
    assert served.engine.prefix is not None
    return served, served.engine.prefix


@pytest.mark.parametrize("begins", [13, 17])
@pytest.mark.parametrize("name", ["window10", "full"])
def test_what_a_request_uses_is_never_let_go_of(name: str, begins: int) -> None:
    served, prefix = _cached(tiny("gpt-oss-20b"), [7] * 24)
    request = prefix.begin([7] * begins)
    assert request.tokens == begins - 1
    before = _live(served)
    for count in (2, 1):
        while prefix.give_way(_short_of(served, **{name: count})):
            pass
    for band, ids in enumerate(request.pages):
        assert (served.allocator.count_references(band, ids) == 2).all()
    assert _live(served) != before


@pytest.mark.parametrize("order", [1, -1])
def test_a_page_at_a_time_all_that_nobody_uses_can_go(order: int) -> None:
    served, prefix = _cached(tiny("inkling-small"), [1] * 20, [1] * 12 + [2] * 9, [1] * 12 + [3] * 30, [4])
    assert all(_live(served))
    for band, name in [*enumerate(served.allocator.chain.names)][::order]:
        while prefix.give_way(_short_of(served, **{name: 1})):
            pass
        assert not _live(served)[band]
    assert prefix.begin([1] * 20).tokens == 0


def test_a_kind_pays_by_the_last_page_that_goes_and_not_by_the_first() -> None:
    served, prefix = _cached(tiny("gpt-oss-20b"), [1] * 24, [2] * 24)
    assert prefix.give_way(_short_of(served, window10=7, full=1))
    # of the window some of the text that was used last would have gone
    assert prefix.begin([2] * 25).tokens == 24
    assert prefix.begin([1] * 25).tokens == 20


def test_what_was_asked_for_or_taken_in_again_was_used_last() -> None:
    served, prefix = _cached(tiny("gpt-oss-20b"), [1] * 24, [2] * 24, [3] * 24, [2] * 24)
    served.engine.requests.finish([prefix.begin([1] * 25)])
    assert prefix.give_way(_short_of(served, full=7))
    assert [prefix.begin([first] * 25).tokens for first in (1, 2, 3)] == [24, 20, 0]


def _end_in_use() -> tuple[Served, PrefixCache]:
    """Two texts were computed at the same time: the end of the longer is in use, and its beginning is the other's."""
    served = serve(tiny("gpt-oss-20b"), room_for(tiny("gpt-oss-20b"), 200), policy=POLICY)
    prefix = served.engine.prefix
    assert prefix is not None
    served.engine.submit([7] * 16, 2)
    longer = served.engine.submit([7] * 40, 30)
    while len(longer.said) < 5:
        served.engine.step()
    return served, prefix


def test_a_text_is_let_go_of_from_its_end() -> None:
    served, prefix = _end_in_use()
    while prefix.give_way(_short_of(served, full=1)):
        pass
    assert prefix.begin([7] * 41).tokens == 40


def test_an_end_that_is_in_use_is_forgotten_run_by_run_for_a_beginning_that_is_not() -> None:
    served, prefix = _end_in_use()
    # and another text leaves it in the middle of what is in use
    leaving = served.engine.submit([7] * 24 + [9] * 4, 2)
    while not leaving.done:
        served.engine.step()
    while prefix.give_way(_short_of(served, full=1)):
        pass
    found = []
    for _ in range(5):
        assert prefix.makes_room(_short_of(served, window10=0, full=1))
        request = prefix.begin([7] * 41)
        found.append(request.tokens)
        served.engine.requests.finish([request])
    # runs as they were cached, and then a page of the beginning
    assert found == [40, 32, 24, 16, 12]


def test_a_text_that_leaves_another_on_the_last_page_of_a_run_does_not_come_back_to_it() -> None:
    _, prefix = _cached(tiny("gpt-oss-20b"), [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4)
    assert prefix.begin([1] * 4 + [9] * 4 + [3] * 4 + [4] * 4 + [5]).tokens == 4


@pytest.mark.parametrize("page_tokens", [1, 3, 4, 16])
def test_a_text_is_gone_on_with_where_the_window_has_what_it_looks_back_on_and_no_more(page_tokens: int) -> None:
    text = [7] * (-(-24 // page_tokens) * page_tokens)
    layout = tiny("gpt-oss-20b", options(page_tokens))
    served = serve(layout, room_for(layout, 200), policy=replace(POLICY, interval=32 * page_tokens))
    served.engine.submit(text, 1)
    drive(served, random.Random(1))
    prefix = served.engine.prefix
    assert prefix is not None
    assert prefix.begin(text).tokens == 0
    assert prefix.begin([*text, 7]).tokens == prefix.hit_tokens == len(text)
    # and where another text has left it as well
    served.engine.submit([*text[:page_tokens], *[9] * page_tokens], 1)
    drive(served, random.Random(1))
    assert prefix.begin([*text, 7]).tokens == len(text)


def test_states_are_kept_at_every_interval_and_nowhere_between() -> None:
    layout, text = tiny("qwen3.5-4b"), [*range(30)]
    served = serve(layout, room_for(layout, 200, states=24), policy=POLICY)
    served.engine.submit(text, 4)
    drive(served, random.Random(1))
    prefix = served.engine.prefix
    assert prefix is not None
    # and at the end, where that is the end of a page
    assert [prefix.begin(text[: count + 1]).tokens for count in range(30)] == [count // 8 * 8 for count in range(30)]
    served.engine.submit([*text, 1, 2], 5)
    drive(served, random.Random(1))
    said = served.engine.submit([*text, 1, 2], 5)
    drive(served, random.Random(1))
    assert prefix.begin([*text, 1, 2, *said.said]).tokens == 36


def test_what_was_said_is_found_again_by_a_job_that_was_retracted() -> None:
    layout = tiny("qwen3.5-4b")
    served = serve(layout, room_for(layout, 200, states=24), policy=POLICY)
    job = served.engine.submit([1, 2, 3], 30)
    while len(job.said) < 25:
        served.engine.step()
    served.engine.preempt(job)
    served.engine.step()
    assert job.request is not None
    assert job.request.settled == 24


@pytest.mark.parametrize("pattern", ["qwen3.5-4b", "inkling-small"])
def test_who_is_served_without_a_cache_is_served_with_one(pattern: str) -> None:
    layout = tiny(pattern)
    for tokens in (14, 26, 40):
        plain = _rejected_alone(layout, tokens, None)
        assert _rejected_alone(layout, tokens, 8) == plain
    assert not any(plain)


@pytest.mark.parametrize(
    ("what", "tokens", "rejected"), [("spare", 40, [True, True]), ("_forgets_an_end", 26, [False, True])]
)
def test_a_job_would_be_rejected_for_what_the_cache_keeps_beside_it(
    what: str, tokens: int, rejected: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PrefixCache, what, lambda *_: False)
    assert _rejected_alone(tiny("qwen3.5-4b"), tokens, 8) == rejected


def _rejected_alone(layout: Layout, tokens: int, interval: int | None) -> list[bool]:
    """Whether each of two jobs is rejected, one after the other in an arena for so many tokens and one state."""
    arena_bytes = room_for(layout, tokens, states=1) - 2 * max(kind.page_bytes for kind in layout.kinds)
    served = serve(layout, arena_bytes, late=True, policy=replace(POLICY, interval=interval))
    asked = [Task((*range(15), last), 8) for last in range(2)]
    jobs = []
    for task in asked:
        jobs.append(served.engine.submit(task.prompt, task.new_tokens))
        drive(served, random.Random(1))
    served_jobs = [(task, job) for task, job in zip(asked, jobs, strict=True) if not job.rejected]
    assert furthest(layout, [task for task, _ in served_jobs], [job for _, job in served_jobs]) < TOLERANCE
    return [job.rejected for job in jobs]


@pytest.mark.parametrize("page_tokens", [1, 3, 16])
def test_a_cached_prefix_in_pages_of_any_size_changes_no_logit(page_tokens: int) -> None:
    layout, asked = tiny("inkling-small", options(page_tokens)), conversations(6, count=5)
    policy = replace(POLICY, interval=max(9, page_tokens) // page_tokens * page_tokens)
    served = serve(layout, room_for(layout, 400, states=40), late=True, policy=policy)
    assert _serve_one_after_the_other(served, [*asked, *asked], 1) < TOLERANCE
    assert served.engine.prefix is not None
    assert served.engine.prefix.hit_tokens > 0


@pytest.mark.parametrize("interval", [0, 6])
def test_an_interval_that_is_none_or_ends_within_a_page_is_refused(interval: int) -> None:
    layout = tiny("gpt-oss-20b")
    with pytest.raises(Misuse, match="interval"):
        serve(layout, room_for(layout, 100), policy=Policy(interval=interval))
