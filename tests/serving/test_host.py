"""The host tier: what gave way on the device comes back from the host, and no logit tells the difference."""

import random
from pathlib import Path

import pytest

from impl.layout import Lifetime
from impl.misuse import Misuse
from impl.plan import Refusal
from impl.serving.engine.engine import Engine
from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.host.cache import Write
from impl.serving.host.digests import digests_of
from impl.serving.host.pages import HostPages, Place
from impl.serving.host.recall import Known, recallable
from tests.serving.hosting import Hosted, large, nothing_is_lost, rounds, say, serve_hosted, small
from tests.serving.running import TOLERANCE, drive, furthest, quiet, room_for

ALL_KINDS = "inkling-small"
BACK = ("gemma-4-31b", "kimi-linear-48b-a3b", ALL_KINDS)
"""Windows, states, and both."""


@pytest.mark.parametrize(
    ("pattern", "write"),
    [*((pattern, "through") for pattern in PATTERNS), *((pattern, "back") for pattern in BACK)],
)
def test_a_round_trip_through_the_host_changes_no_logit(pattern: str, write: Write) -> None:
    layout = tiny(pattern)
    hosted = serve_hosted(layout, small(layout), large(layout), write=write)
    assert say(hosted, rounds(1), seed=2) < TOLERANCE
    assert hosted.cache.backed_up > 0
    assert hosted.cache.loaded > 0
    nothing_is_lost(hosted)


def test_a_full_host_several_jobs_at_a_time_and_compaction_change_no_logit() -> None:
    layout, asked = tiny(ALL_KINDS), rounds(3, count=4)
    hosted = serve_hosted(layout, room_for(layout, 64, states=5), room_for(layout, 24, states=3), write="back")
    chance, jobs, moved = random.Random(5), [], 0

    def compact_at_times() -> None:
        nonlocal moved
        if chance.random() < 0.2:
            quiet(hosted)
            moved += hosted.allocator.compact(1 << 40)
            hosted.host.compact(1 << 40)

    for begin in range(0, len(asked), 2):
        jobs += [hosted.engine.submit(task.prompt, task.new_tokens) for task in asked[begin : begin + 2]]
        drive(hosted, chance, compact_at_times)
    assert furthest(layout, asked, jobs) < TOLERANCE
    assert hosted.cache.loaded > 0
    assert moved > 0
    assert hosted.host.statistics().refusals["evict"] > 0
    nothing_is_lost(hosted)


@pytest.mark.parametrize("write", ["through", "back"])
def test_clearing_at_any_moment_changes_no_logit(write: Write) -> None:
    layout, asked = tiny(ALL_KINDS), rounds(3, count=4)
    hosted = serve_hosted(layout, small(layout), large(layout), write=write)
    chance, jobs, cleared = random.Random(1), [], 0

    def clear_at_times() -> None:
        nonlocal cleared
        if chance.random() < 0.1:
            cleared += bool(hosted.cache.copies.flying)
            chance.choice([hosted.cache.clear, hosted.cache.host_pages.clear])()

    for task in asked:
        jobs.append(hosted.engine.submit(task.prompt, task.new_tokens))
        drive(hosted, chance, clear_at_times)
    assert furthest(layout, asked, jobs) < TOLERANCE
    assert cleared
    nothing_is_lost(hosted)


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_written_back_goes_down_when_it_gives_way_and_what_is_written_through_before(order: int) -> None:
    layout = tiny(ALL_KINDS)
    written: dict[Write, tuple[int, int]] = {}
    for write in ("through", "back"):
        hosted = serve_hosted(layout, large(layout), large(layout), write=write)
        assert say(hosted, rounds(1, count=1, times=1), seed=1) < TOLERANCE
        before = hosted.cache.backed_up
        hosted.cache.host_pages.clear()
        evict_everything(hosted, order)
        written[write] = before, hosted.cache.backed_up - before
        nothing_is_lost(hosted)
    assert written["through"][0] == written["back"][1] > 0
    assert written["through"][1] == written["back"][0] == 0


def test_where_the_host_has_no_room_for_all_that_gives_way_it_has_the_beginnings() -> None:
    layout, texts = tiny("gpt-oss-20b"), ([1] * 20, [1] * 12 + [2] * 8)
    hosted = serve_hosted(layout, large(layout), room_for(layout, 12), write="back")
    for text in texts:
        hosted.engine.submit(text, 1)
        drive(hosted, random.Random(1))
    full = hosted.allocator.band("full")
    pages = hosted.allocator.statistics().kinds[full].live
    assert hosted.cache.give_way(Refusal((0, 0), "evict", evict=(None, pages)))
    for text in texts:
        places = [Place(full, digest) for digest in digests_of(hosted.cache._keys(text))]
        kept = [hosted.cache.host_pages.get(place) is not None for place in places]
        assert kept == sorted(kept, reverse=True)
        assert kept[0]
    assert not all(kept)
    nothing_is_lost(hosted)


# ------------------------------------------------------------------------------------------------------ coming up


def _put_down(hosted: Hosted) -> tuple[int, ...]:
    """A text of which the host has all and the device nothing."""
    (task, *_) = rounds(1)
    assert say(hosted, [task], seed=1) < TOLERANCE
    quiet(hosted)
    super(type(hosted.cache), hosted.cache).clear()
    assert not any(kind.live for kind in hosted.allocator.statistics().kinds)
    return task.prompt


def test_a_request_that_ends_before_its_load_has_landed_leaves_nothing_behind() -> None:
    layout = tiny(ALL_KINDS)
    hosted = serve_hosted(layout, large(layout), large(layout))
    prompt = _put_down(hosted)
    request = hosted.cache.begin(prompt)
    assert request.tokens == len(prompt) // 8 * 8
    assert hosted.cache.copies.flying
    hosted.engine.requests.finish([request])
    hosted.cache.clear()
    # what is on its way is held on both sides until it is there
    assert any(kind.withheld for kind in hosted.allocator.statistics().kinds)
    assert hosted.host.outstanding()
    nothing_is_lost(hosted)


def test_a_load_that_has_no_room_on_the_device_is_not_begun_for_any_kind() -> None:
    layout = tiny(ALL_KINDS)
    hosted = serve_hosted(layout, small(layout), large(layout))
    prompt = _put_down(hosted)
    full = hosted.allocator.band("full")
    count = next(n for n in range(1, 999) if isinstance(hosted.allocator.plan({"full": n}), Refusal)) - 1
    taken = hosted.allocator.allocate({"full": count})
    assert not isinstance(taken, Refusal)
    before = [kind.live for kind in hosted.allocator.statistics().kinds]
    request = hosted.cache.begin(prompt)
    assert request.tokens == 0
    assert [kind.live for kind in hosted.allocator.statistics().kinds] == before
    assert hosted.cache.loaded == 0
    hosted.engine.requests.finish([request])
    hosted.allocator.release(full, taken.ids[full])
    assert hosted.cache.begin(prompt).tokens > 0


def test_a_transfer_is_not_given_a_page_whose_load_has_not_landed() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, large(layout), large(layout))
    request = hosted.cache.begin(_put_down(hosted))
    transfer = hosted.allocator.open("transfer")
    full = hosted.allocator.band("full")
    with pytest.raises(Misuse, match="does not run before"):
        hosted.allocator.hold(transfer, full, request.pages[full], "read")
    quiet(hosted)
    hosted.allocator.hold(transfer, full, request.pages[full], "read")
    hosted.allocator.complete(transfer)
    hosted.engine.requests.finish([request])
    nothing_is_lost(hosted)


def test_what_was_cleared_is_not_recalled() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, large(layout), large(layout))
    prompt = _put_down(hosted)
    hosted.cache.clear()
    assert hosted.cache.begin(prompt).tokens == 0


@pytest.mark.parametrize("missing", ["full", "window10", "state"])
def test_a_text_goes_on_only_as_far_as_every_kind_does(missing: str) -> None:
    layout = tiny(ALL_KINDS)
    kinds = layout.kinds
    digests = digests_of([(page, 0, 0, 0) for page in range(8)])
    states = {digests[3], digests[7]}
    known = Known([[] for _ in kinds], {}, 0)

    def is_below(place: Place) -> bool:
        kind = kinds[place.band]
        there = place.digest in states if kind.lifetime is Lifetime.STATE else True
        return there and not (kind.name == missing and place.digest in digests[5:])

    whole = recallable(kinds, digests, known, lambda place: True)
    part = recallable(kinds, digests, known, is_below)
    assert whole is not None
    assert whole.pages == 8
    assert {kind.name: len(own) for kind, own in zip(kinds, whole.sources, strict=True)}["window10"] == 3
    assert part is not None
    # four pages of text are the last after which there is a state, and before any of this kind is missing
    assert part.pages == 4
    assert recallable(kinds, digests, Known([[] for _ in kinds], {}, 4), is_below) is None


def test_a_state_that_the_device_has_of_that_very_moment_is_not_brought_up() -> None:
    layout = tiny(ALL_KINDS)
    (state,) = (band for band, kind in enumerate(layout.kinds) if kind.lifetime is Lifetime.STATE)
    digests = digests_of([(page, 0, 0, 0) for page in range(8)])
    states: dict[int, dict[int, int | None]] = {7: {state: 1}, 8: {state: 2}}
    recall = recallable(layout.kinds, digests, Known([[] for _ in layout.kinds], states, 0), lambda place: True)
    assert recall is not None
    assert recall.pages == 8
    assert [source.vid for source in recall.sources[state]] == [2]


def test_a_text_of_a_single_page_comes_up() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, large(layout), large(layout))
    hosted.engine.submit([7] * 5, 2)
    drive(hosted, random.Random(1))
    quiet(hosted)
    super(type(hosted.cache), hosted.cache).clear()
    assert hosted.cache.begin([7] * 5).tokens == 4


def test_a_page_of_which_the_next_token_is_known_comes_up_with_it() -> None:
    class Ahead(Engine):
        """Its rows are made of the token after each as well."""

        ahead = 1

    layout, text = tiny("gpt-oss-20b"), [7] * 17
    hosted = serve_hosted(layout, large(layout), large(layout), engine_of=Ahead)
    hosted.engine.submit(text, 2)
    drive(hosted, random.Random(1))
    quiet(hosted)
    super(type(hosted.cache), hosted.cache).clear()
    assert hosted.cache.begin([*text, 1]).tokens == 16


def test_what_is_still_coming_up_goes_down_again_behind_that() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, large(layout), large(layout), write="back")
    (task, *_) = asked = rounds(1)[:1]
    assert say(hosted, asked, seed=1) < TOLERANCE
    evict_everything(hosted)
    quiet(hosted)
    before = hosted.cache.backed_up
    hosted.engine.requests.finish([hosted.cache.begin(task.prompt)])
    assert hosted.cache.copies.flying
    hosted.cache.host_pages.clear()
    evict_everything(hosted)
    assert hosted.cache.backed_up > before
    assert say(hosted, asked, seed=1) < TOLERANCE
    nothing_is_lost(hosted)


def evict_everything(hosted: Hosted, order: int = 1) -> None:
    """The cache gives way in one kind after the other until it has nothing on the device."""
    bands = range(len(hosted.layout.kinds))
    for band in bands[::order]:
        one = tuple(int(other == band) for other in bands)
        while hosted.cache.give_way(Refusal((0,) * len(one), "evict", evict=one)):
            pass


def test_what_the_device_has_of_another_text_is_not_taken_for_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = tiny(ALL_KINDS)
    hosted = serve_hosted(layout, large(layout), large(layout))
    one, other = [1] * 8 + [3] * 8, [1] * 4 + [2] * 12
    for text in (one, other):
        hosted.engine.submit(text, 2)
        drive(hosted, random.Random(1))
    quiet(hosted)
    super(type(hosted.cache), hosted.cache).clear()
    hosted.engine.requests.finish([hosted.cache.begin([*one, 1])])
    # of the other text the host has everything but a state of this moment, and the device the state of the one
    is_below, state = hosted.cache._is_below, hosted.allocator.band("state")
    monkeypatch.setattr(hosted.cache, "_is_below", lambda place: place.band != state and is_below(place))
    assert hosted.cache.begin([*other, 1]).tokens == 0
    monkeypatch.undo()
    assert hosted.cache.begin([*other, 1]).tokens == 16


def test_what_the_device_has_of_the_rest_of_a_page_run_is_another_text() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, large(layout), large(layout))
    hosted.engine.submit([1] * 4 + [2] * 12, 2)
    drive(hosted, random.Random(1))
    assert hosted.cache.begin([1] * 4 + [9] * 12).tokens == 4


# -------------------------------------------------------------------------------------------------- the host's pages


def test_a_page_that_somebody_uses_never_gives_way() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, small(layout), room_for(layout, 16))
    pages = HostPages(hosted.host)
    full = hosted.host.band("full")
    places = [Place(full, bytes([number])) for number in range(99)]
    kept = pages.take(places[:2])
    hosted.host.share(full, [kept[places[0]]])
    for begin in range(2, 90, 4):
        assert pages.take(places[begin : begin + 4])
    assert pages.get(places[0]) == kept[places[0]]
    assert pages.get(places[1]) is None
    hosted.host.release(full, [kept[places[0]]])
    pages.clear()
    assert not hosted.host.statistics().kinds[full].live


def test_pages_give_way_one_for_one_the_last_of_the_text_that_was_used_longest_ago_first() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, small(layout), room_for(layout, 32))
    pages = HostPages(hosted.host)
    places = [Place(hosted.host.band("full"), bytes([number])) for number in range(99)]
    one, other, more = places[:3], places[3:6], iter(places[6:])
    pages.take(one)
    pages.take(other)
    pages.use(one)
    gone: list[Place] = []
    while len(gone) < 6:
        before = len(pages)
        pages.take([next(more)])
        lost = [place for place in (*one, *other) if pages.get(place) is None and place not in gone]
        assert len(pages) == (before if lost else before + 1)
        gone += lost
    assert gone == [*other[::-1], *one[::-1]]


def test_the_kind_gives_way_that_was_used_longest_ago() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, small(layout), room_for(layout, 32))
    pages, (window, full) = HostPages(hosted.host), (hosted.host.band(name) for name in ("window10", "full"))
    old = Place(full, b"old")
    pages.take([old])
    more = (Place(window, bytes([number])) for number in range(99))
    first = next(more)
    pages.take([first])
    while pages.get(old) is not None:
        assert pages.take([next(more)])
    assert pages.get(first) is not None


@pytest.mark.parametrize("use", ["asked for", "taken in"])
def test_whatever_uses_a_text_keeps_it_on_the_host(use: str) -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, large(layout), room_for(layout, 40))
    texts, cache = ([1] * 9, [2] * 9), hosted.cache
    for text in texts:
        hosted.engine.submit(text, 2)
        drive(hosted, random.Random(1))
    quiet(hosted)
    cache.poll()
    one, other = (cache.begin([*text, 3]) for text in texts)
    if use == "asked for":
        again = cache.begin([*texts[0], 3])
        hosted.engine.requests.finish([again])
    else:
        cache.keep(texts[0][:8], one)
    full = hosted.host.band("full")
    last = [Place(full, digests_of(cache._keys(text))[-1]) for text in texts]
    assert all(cache.host_pages.get(place) is not None for place in last)
    more = (Place(full, bytes([number])) for number in range(99))
    while all(cache.host_pages.get(place) is not None for place in last):
        cache.host_pages.take([next(more)])
    assert [cache.host_pages.get(place) is not None for place in last] == [True, False]
    hosted.engine.requests.finish([one, other])


def test_as_many_as_have_room_are_taken_the_first_ones_first() -> None:
    layout = tiny("gpt-oss-20b")
    hosted = serve_hosted(layout, small(layout), room_for(layout, 16))
    pages = HostPages(hosted.host)
    places = [Place(hosted.host.band("full"), bytes([number])) for number in range(200)]
    taken = pages.take(places)
    assert 0 < len(taken) < len(places)
    assert list(taken) == places[: len(taken)]
    assert isinstance(hosted.host.plan({"full": 1}), Refusal), "there is no room for one more"


# ------------------------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize("pattern", ["qwen3.5-4b", ALL_KINDS])
def test_what_an_engine_left_in_files_another_one_goes_on_with(pattern: str, tmp_path: Path) -> None:
    layout, asked = tiny(pattern), rounds(1, count=2, times=1)
    for loads in (False, True):
        hosted = serve_hosted(layout, large(layout), large(layout), folder=tmp_path)
        assert say(hosted, asked, seed=1) < TOLERANCE
        assert (hosted.cache.loaded > 0) == loads
        nothing_is_lost(hosted)


def test_a_text_comes_up_as_far_as_its_files_are_whole(tmp_path: Path) -> None:
    layout, prompt = tiny("gpt-oss-20b"), [7] * 33
    first = serve_hosted(layout, large(layout), large(layout), folder=tmp_path)
    first.engine.submit(prompt, 2)
    drive(first, random.Random(1))
    quiet(first)
    nothing_is_lost(first)
    hosted = serve_hosted(layout, large(layout), large(layout), folder=tmp_path)
    assert hosted.cache.files is not None
    last = Place(hosted.host.band("full"), digests_of(hosted.cache._keys(prompt))[-1])
    hosted.cache.files.path_of(last).write_bytes(b"torn")
    request = hosted.cache.begin(prompt)
    assert request.tokens == 28
    assert hosted.cache.files.rejected == 1
    hosted.engine.requests.finish([request])
    nothing_is_lost(hosted)


def test_a_text_of_which_the_host_has_no_room_for_all_does_not_come_up_from_files(tmp_path: Path) -> None:
    layout, prompt = tiny("gpt-oss-20b"), [7] * 45
    for room in (600, 12):
        hosted = serve_hosted(layout, large(layout), room_for(layout, room), folder=tmp_path)
        request = hosted.cache.begin(prompt)
        assert request.tokens == 0
        if room < 600:
            # what has room is there for the next one
            assert 0 < len(hosted.cache.host_pages) < 11
        hosted.engine.requests.finish([request])
        hosted.engine.submit(prompt[:41], 2)
        drive(hosted, random.Random(1))
        nothing_is_lost(hosted)


def test_files_of_other_weights_are_not_looked_at(tmp_path: Path) -> None:
    layout, asked = tiny("gpt-oss-20b"), rounds(1, count=1, times=1)
    for identity in ("these weights", "those weights"):
        hosted = serve_hosted(layout, large(layout), large(layout), folder=tmp_path, identity=identity)
        assert say(hosted, asked, seed=1) < TOLERANCE
        assert hosted.cache.loaded == 0
