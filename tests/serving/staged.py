"""Stages with a prefix cache each, and with a host below it: what a stage does in its own process."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch

from fuzz.serving.hesitant import Hesitant
from impl.layout import Layout, Stored, chain_of
from impl.plan import Grant, Refusal
from impl.requests.request import Request
from impl.serving.engine.engine import Policy
from impl.serving.engine.tiny import tiny
from impl.serving.host.cache import Write
from impl.serving.parallel.group import Group
from impl.serving.parallel.stages import pipelined, stage_layouts, with_layers
from tests.serving.assembled import Assembled, Parts, assembled
from tests.serving.ranked import Report
from tests.serving.running import Task, room_for
from tests.serving.together import conversation


def with_another_window(layout: Layout, from_layer: int, window: int) -> Layout:
    """A model whose windows are longer from one layer on."""
    stored = [
        Stored(
            row.layer,
            kind.lifetime,
            window if kind.window is not None and row.layer >= from_layer else kind.window,
            row.part,
            row.shape,
            row.dtype,
            row.draft,
        )
        for kind in layout.kinds
        for row in kind.rows
    ]
    return replace(layout, kinds=chain_of(stored, layout.page_tokens))


SPLITS: dict[str, tuple[Layout, list[int]]] = {
    "a window and full attention in both": (tiny("gpt-oss-20b", layers=6), [0, 2]),
    "windows of two lengths": (with_another_window(tiny("gpt-oss-20b"), 2, 18), [0, 2]),
    "a state and full attention in both": (tiny("qwen3-next-80b-a3b", layers=8), [0, 4]),
    "no window in the second": (with_layers(tiny("inkling-small", layers=12), [0, 1, 5, 11]), [0, 6]),
}
"""Models, and the first layer of each of two stages."""

ASKED = [*conversation(1), *conversation(1)[:3]]

POLICY = Policy(most_running=3, chunk=7, positions=96, interval=8)


class Room(NamedTuple):
    """What a stage has room for.

    Attributes:
        tokens: of every kind on the device.
        states: likewise.
        host: tokens of every kind on the host; 0 for no host.
    """

    tokens: int
    states: int = 3
    host: int = 0


HOSTS = (Room(200, 8, host=24), Room(48, host=200))
"""The first stage has little room on the host, and the last on the device."""


@dataclass
class Cached(Report):
    """What a stage has served.

    Attributes:
        begun: of each request, how many tokens it began with.
        able: the same as far as this stage alone could go.
        given_way: how often it let go of pages, of whatever kind, its own or another stage's.
        preempted: requests.
        backed_up: pages.
        loaded: pages.
    """

    begun: list[int] = field(default_factory=list)
    able: list[int] = field(default_factory=list)
    given_way: int = 0
    preempted: int = 0
    backed_up: int = 0
    loaded: int = 0


def stage_of(group: Group, layout: Layout, first: list[int], room: Room, write: Write) -> Assembled:
    """An engine of one stage."""
    own = stage_layouts(layout, first)[group.rank.number]
    parts = Parts(
        own,
        room_for(own, room.tokens, states=room.states),
        Hesitant(random.Random(f"rank {group.rank.number}")),
        POLICY,
        host_bytes=room.host and room_for(own, room.host, states=max(2, room.host // 8)),
        whole=layout,
        write=write,
    )
    parts.join = lambda engine_of, allocator, device, policy, others: pipelined(
        group, own, allocator, device, policy, engine_of
    )
    return assembled(parts)


def by_layers_cached(
    group: Group, layout: Layout, first: list[int], asked: list[Task], rooms: Sequence[Room], write: Write = "back"
) -> Cached:
    """Serve in stages, of which each has room for other things, while requests give way now and then."""
    made = stage_of(group, layout, first, rooms[group.rank.number], write)
    engine, chance, left = made.engine, random.Random(3), list(asked)
    seen = Cached([], [])
    _watch(made, seen)
    jobs = []
    while left or not engine.is_idle:
        if left and (engine.is_idle or chance.random() < 0.3):
            task = left.pop(0)
            jobs.append(engine.submit(task.prompt, task.new_tokens))
        engine.step()
        made.runtime.run_all()
        if len(engine.running) > 1 and chance.random() < 0.1:
            engine.preempt(chance.choice(engine.running))
            seen.preempted += 1
        if chance.random() < 0.1:
            _settle(made)
            seen.moved += made.allocator.compact(1 << 40)
    _settle(made)
    _nothing_is_lost(made)
    if made.tier is not None:
        seen.backed_up, seen.loaded = made.tier.backed_up, made.tier.loaded
    assert not any(job.rejected for job in jobs)
    seen.said, seen.logits = [job.said for job in jobs], [torch.stack(job.logits).numpy() for job in jobs]
    seen.retractions = engine.retractions - seen.preempted
    return seen


def _watch(made: Assembled, seen: Cached) -> None:
    """Look at what is asked of all stages, and at what a request begins with."""
    prefix = made.engine.prefix
    assert prefix is not None, "it is cached"
    gathered, begin, ended = prefix.gathered, prefix.begin, made.engine.agreed
    own = [0]

    def noted(what: str, said: Any) -> list[Any]:
        if what == "where to go on":
            own.append(said)
        found = gathered(what, said)
        seen.given_way += what == "what gives way" and any(found)
        return found

    def begun(tokens: Sequence[int]) -> Request:
        own.clear()
        request = begin(tokens)
        seen.begun.append(request.tokens)
        seen.able.append(max(own) * prefix.page_tokens)
        return request

    def agreed(count: int) -> int:
        seen.ended.append(count)
        return ended(count)

    prefix.gathered, prefix.begin, made.engine.agreed = noted, begun, agreed  # type: ignore[method-assign]  # of this one


def _settle(made: Assembled) -> None:
    """Until whatever is in flight is agreed to have ended."""
    while made.engine.flying or (made.tier is not None and made.tier.copies.flying):
        made.runtime.run_all()
        made.engine.poll()


def _nothing_is_lost(made: Assembled) -> None:
    """Nothing was found by the judge, and nothing is left once the caches are cleared."""
    prefix = made.engine.prefix
    assert prefix is not None, "it is cached"
    prefix.clear()
    for allocator in (made.allocator, made.host):
        if allocator is not None:
            assert not any(kind.live or kind.withheld for kind in allocator.statistics().kinds)
            allocator.check()
    assert not made.findings, made.findings[0]
    assert made.runtime.host_waits == 0


# ------------------------------------------------------------------------------------------------- one thing at a time


class Begun(NamedTuple):
    """What came of a text that one stage could go on with further than the other.

    Attributes:
        able: tokens with which this stage alone could begin.
        begun: with which it began.
    """

    able: int
    begun: int


def after_a_window_gave_way(group: Group, layout: Layout, first: list[int]) -> list[Begun]:
    """Begin again with a text of which a kind of the first stage's alone has lost a page."""
    made = stage_of(group, layout, first, Room(400, 24), "back")
    seen = Cached([], [])
    _watch(made, seen)
    prefix = made.engine.prefix
    assert prefix is not None, "it is cached"
    _say(made, [7] * 24)
    names = made.allocator.chain.names
    for _ in range(2):
        lacking = tuple(int(name == "window10" and not group.rank.number) for name in names)
        made.engine.requests.finish([prefix.begin([*[7] * 24, 1])])
        assert prefix.give_way(Refusal((0,) * len(names), "evict", evict=lacking))
    return [Begun(able, begun) for able, begun in zip(seen.able[1:], seen.begun[1:], strict=True)]


class Recalled(NamedTuple):
    """What came of a text that is not on the devices any more.

    Attributes:
        begun: tokens with which a request began.
        loaded: pages.
        changed: whether anything was given out or back on the device.
        is_below: whether this stage's host has all of it.
    """

    begun: int
    loaded: int
    changed: bool
    is_below: bool


def recalled(group: Group, layout: Layout, first: list[int]) -> list[Recalled]:
    """Begin with a text that the last host does not have, then without room on the last device, and then with both."""
    is_last = group.rank.number == group.rank.of - 1
    made = stage_of(group, layout, first, Room(64 if is_last else 400, 6, host=200), "through")
    tier, prompt = made.tier, [7] * 33
    assert tier is not None, "there is a host"

    def begin(*, is_below: bool) -> Recalled:
        before, loaded = _live(made), tier.loaded
        request = tier.begin(prompt)
        found = Recalled(request.tokens, tier.loaded - loaded, _live(made) != before, is_below)
        _settle(made)
        made.engine.requests.finish([request])
        super(type(tier), tier).clear()
        return found

    _say(made, prompt)
    _settle(made)
    super(type(tier), tier).clear()
    if is_last:
        tier.host_pages.clear()
    lost = begin(is_below=not is_last)
    _say(made, prompt)
    _settle(made)
    super(type(tier), tier).clear()
    taken = []
    demand = [int(name == "full") for name in made.allocator.chain.names]
    while isinstance(given := made.given.allocate(demand), Grant):
        taken.append(given.ids[-1])
    crowded = begin(is_below=True)
    for ids in taken:
        made.given.release(len(demand) - 1, ids)
    return [lost, crowded, begin(is_below=True)]


def _say(made: Assembled, prompt: list[int]) -> None:
    made.engine.submit(prompt, 2)
    while not made.engine.is_idle:
        made.engine.step()
        made.runtime.run_all()


def _live(made: Assembled) -> list[int]:
    return [kind.live for kind in made.allocator.statistics().kinds]
