"""Runs of several features at once, in a process for each rank."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bandgap.compatibility.runs import Run
from impl.layout import Layout, Stored, chain_of
from impl.serving.engine.engine import Engine, EngineOf
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import tiny
from impl.serving.parallel.context import attended_together, context_parallel
from impl.serving.parallel.data import DataParallel
from impl.serving.parallel.group import Group
from impl.serving.parallel.stage_drafts import StageDrafter
from impl.serving.parallel.stages import pipelined, stage_layouts
from impl.serving.parallel.tensor import tensor_parallel
from impl.serving.speculation.drafter import Shared
from impl.serving.speculation.drafters import DRAFTERS
from tests.serving.assembled import PAGES, Assembled, Parts, assembled, chain_in, options_of, policy_of, right_for
from tests.serving.hosting import large
from tests.serving.ranked import Hesitant
from tests.serving.running import Task, furthest, room_for
from tests.serving.together import GUESSING, ROOM, Seen, conversation, look_at, perhaps_preempt

TASKS = 4
"""Of ranks that have the same ones."""


def on_ranks(group: Group, run: Run) -> Seen:
    """A run on one of several ranks, in one arena after the other until everywhere all features have done something."""
    options, chain = options_of(run), chain_in(run)
    if "decode-context-parallel" in run.features and "large-pages" in run.features:
        # to all that counts tokens, it has those of all ranks
        options = replace(options, page_tokens=options.page_tokens // group.rank.of)
    whole = tiny(run.preset, options)
    if "pipeline-parallel" in run.features:
        whole = in_two_stages(whole)
    asked = conversation(1, more=0 if chain is None else 6)
    seen = Seen()
    for states in ROOM[1:] if chain is None else GUESSING:
        # where each has its own, the second has all but the first
        asked = asked if "data-parallel-attention" in run.features else asked[:TASKS]
        one = _MODES[_mode(run)](group, run, whole, asked, states)
        seen = Seen(max(seen.furthest, one.furthest), seen.times + one.times)
        seen.times = sum(group.things(seen.times), Counter())
        if all(seen.times[feature] for feature in run.features):
            break
    return seen


def _mode(run: Run) -> str:
    (mode,) = run.features & {*_MODES}
    return mode


def _parts(group: Group, run: Run, whole: Layout, layout: Layout, asked: list[Task], states: int, **more: Any) -> Parts:
    chance = random.Random(f"rank {group.rank.number}")
    return Parts(
        layout,
        room_for(layout, ROOM[0], states=states),
        Hesitant(chance),
        policy_of(run, more.pop("page_tokens", whole.page_tokens)),
        host_bytes=large(layout) if "host-tier" in run.features else 0,
        chain=chain_in(run),
        whole=whole,
        right=right_for(whole, asked),
        **more,
    )


def _by_heads(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Seen:
    layout = tiny(run.preset, options_of(run, tp_size=group.rank.of))
    shared = Shared(group.rank, group.total)
    parts = _parts(group, run, whole, layout, asked, states, drafter=_drafter(run, whole, shared))
    parts.join = lambda engine_of, allocator, device, policy, others: tensor_parallel(
        group, whole, allocator, device, policy, engine_of, others
    )
    return _driven(run, assembled(parts), asked)


def _by_tokens(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Seen:
    attend = partial(attended_together, group)
    shared = Shared(attend=attend, in_block=partial(attend, in_block=True))
    wide = whole.page_tokens * group.rank.of
    parts = _parts(group, run, whole, whole, asked, states, drafter=_drafter(run, whole, shared), page_tokens=wide)
    parts.arena_bytes = room_for(whole, ROOM[0] // group.rank.of, states=states)
    parts.join = lambda engine_of, allocator, device, policy, others: context_parallel(
        group, whole, allocator, device, policy, engine_of, others
    )
    seen = _driven(run, assembled(parts), asked)
    seen.times["large-pages"] = wide == PAGES["large-pages"]
    return seen


def _by_requests(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Seen:
    ranks: list[DataParallel] = []

    def join(engine_of: EngineOf, allocator: Any, device: Any, policy: Any, others: Any) -> Engine:
        ranks.append(DataParallel(group, whole, allocator, device, policy, engine_of))
        return ranks[-1].engine

    parts = _parts(group, run, whole, whole, asked, states)
    parts.join = join
    made = assembled(parts)
    own = asked[group.rank.number :]
    return _driven(run, made, own, lambda: ranks[0].step(made.runtime.inner.run_all))


def _by_layers(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Seen:
    stage = stage_layouts(whole, [0, STAGE_LAYERS])[group.rank.number]
    drafter = _drafter(run, whole, Shared())
    drafter = None if drafter is None else StageDrafter(group, drafter)
    parts = _parts(group, run, whole, stage, asked, states, drafter=drafter)
    parts.join = lambda engine_of, allocator, device, policy, others: pipelined(
        group, stage, allocator, device, policy, engine_of, for_draft=drafter is not None
    )
    made = assembled(parts)
    device = made.runtime.inner

    def step() -> bool:
        made.engine.step()
        device.run_all()
        return not made.engine.is_idle

    return _driven(run, made, asked, step)


STAGE_LAYERS = 2


def in_two_stages(layout: Layout) -> Layout:
    """A model that has the first and the last layer of another one twice, so that each stage has both."""
    target = sorted({row.layer for kind in layout.kinds for row in kind.rows if not row.draft})
    stored = []
    for kind in layout.kinds:
        for row in kind.rows:
            numbers = [2 * STAGE_LAYERS + row.layer - target[-1] - 1] if row.draft else []
            if not row.draft and row.layer in (target[0], target[-1]):
                place = int(row.layer == target[-1])
                numbers = [place, STAGE_LAYERS + place]
            stored += [
                Stored(number, kind.lifetime, kind.window, row.part, row.shape, row.dtype, row.draft)
                for number in numbers
            ]
    return replace(layout, model=f"{layout.model} in two stages", kinds=chain_of(stored, layout.page_tokens))


def _drafter(run: Run, whole: Layout, shared: Shared) -> Any:
    chain = chain_in(run)
    return None if chain is None else DRAFTERS[chain](whole, shared=shared)


_MODES: dict[str, Callable[[Group, Run, Layout, list[Task], int], Seen]] = {
    "tensor-parallel": _by_heads,
    "pipeline-parallel": _by_layers,
    "decode-context-parallel": _by_tokens,
    "data-parallel-attention": _by_requests,
}


def _driven(run: Run, made: Assembled, asked: list[Task], step: Callable[[], bool] | None = None) -> Seen:
    """Serve in the same steps on all ranks, and watch.

    Args:
        run: of the ranks.
        made: the engine of this one.
        asked: of it.
        step: of all ranks, where each has requests of its own; says whether any of them has more to do.
    """
    seen, chance, left = Seen(), random.Random(3), list(asked)
    engine, device = made.engine, made.runtime.inner
    jobs: list[Job] = []
    more = True
    while more or left:
        if left and (engine.is_idle or chance.random() < 0.3):
            task = left.pop(0)
            jobs.append(engine.submit(task.prompt, task.new_tokens))
        if step is not None:
            more = step()
        else:
            for _ in range(chance.randrange(4)):
                device.step(chance.randrange(8))
            engine.step()
            more = not engine.is_idle
        seen.times["overlap"] += len(engine.flying) > 1
        perhaps_preempt(run, engine, chance, seen)
    assert not made.findings, made.findings[0]
    made.allocator.check()
    assert made.runtime.host_waits == 0
    seen.furthest = furthest(made.layout, asked, jobs)
    seen.times[_mode(run)] = len(jobs)
    look_at(run, [made], seen)
    return seen
