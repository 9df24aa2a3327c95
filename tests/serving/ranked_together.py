"""Runs of several features at once, in a process for each rank."""

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from bandgap.compatibility.runs import Run
from fuzz.serving.hesitant import Hesitant
from impl.layout import Layout, Stored, chain_of
from impl.serving.engine.engine import Engine, EngineOf
from impl.serving.engine.job import Job
from impl.serving.engine.sharing import Sharing
from impl.serving.engine.tiny import tiny
from impl.serving.parallel.context import attended_together, context_parallel
from impl.serving.parallel.data import DataParallel, data_parallel
from impl.serving.parallel.grid import Grid, grid_of, in_grid
from impl.serving.parallel.group import Group
from impl.serving.parallel.stage_drafts import StageDrafter
from impl.serving.parallel.stages import pipelined, stage_layouts
from impl.serving.parallel.tensor import tensor_parallel
from impl.serving.parallel.transfers import AgreedDevice, AgreedTransport
from impl.serving.speculation.drafters import DRAFTERS
from impl.serving.transfer.decode import Asked, Decode
from impl.serving.transfer.messages import Message
from impl.serving.transfer.prefill import Prefill
from impl.serving.transfer.sender import Sender
from impl.serving.transfer.simulated import SimulatedNetwork
from tests.serving.assembled import PAGES, Assembled, Parts, assembled, chain_in, options_of, policy_of, right_for
from tests.serving.hosting import large
from tests.serving.running import Task, furthest, room_for
from tests.serving.together import FIRST, GUESSING, ROOM, Seen, conversation, look_at, perhaps_preempt

LESS = 8
"""Tokens for which there is less room where prompts were computed elsewhere, and in each arena after the first."""

TASKS = 4
"""Of ranks that have the same ones."""

IN_GRID_TASKS = 3
"""Of ranks of a grid that have the same ones; where each has its own, the second has all of these but the first."""

IN_GRID = (0, 2)
"""States for which there is room in one arena after the other, beside that which any arena has."""


def on_ranks(group: Group, run: Run) -> Seen:
    """A run on one of several ranks, in one arena after the other until everywhere all features have done something."""
    options, chain = options_of(run), chain_in(run)
    if "decode-context-parallel" in run.features and "large-pages" in run.features:
        # to all that counts tokens, it has those of all ranks
        options = replace(options, page_tokens=options.page_tokens // (SIDE if run.in_grid else group.rank.of))
    whole = tiny(run.preset, options)
    if "pipeline-parallel" in run.features:
        whole = in_two_stages(whole)
    asked = conversation(1, more=0 if chain is None else 6)
    seen = Seen()
    for number, states in enumerate(GUESSING if chain is not None else IN_GRID if run.in_grid else ROOM[1:]):
        mode = (_in_grid if run.in_grid else _MODES[_ways(run)[0]])(group, run, whole, asked, states)
        # where each has its own, the second has all but the first
        most = IN_GRID_TASKS if run.in_grid else TASKS if mode.apart is None else len(asked)
        own = asked[0 if mode.apart is None else mode.apart.rank.number : most]
        drive = _in_two_arenas if "disaggregation" in run.features else _driven
        one = drive(group, run, mode, own, ROOM[0] - LESS if number else ROOM[0])
        seen = Seen(max(seen.furthest, one.furthest), seen.times + one.times)
        seen.times = sum(group.things(seen.times), Counter())
        if all(seen.times[feature] for feature in run.features):
            break
    return seen


def _ways(run: Run) -> list[str]:
    """Those in which ranks share the model."""
    return [way for way in _MODES if way in run.features]


def _parts(
    group: Group, run: Run, whole: Layout, layout: Layout, asked: list[Task], states: int, tokens: int, **more: Any
) -> Parts:
    chance = random.Random(f"rank {group.rank.number}")
    return Parts(
        layout,
        room_for(layout, tokens, states=states),
        Hesitant(chance),
        policy_of(run, more.pop("page_tokens", whole.page_tokens)),
        host_bytes=large(layout) if "host-tier" in run.features else 0,
        chain=chain_in(run),
        whole=whole,
        right=right_for(whole, asked),
        **more,
    )


@dataclass
class Mode:
    """How ranks share a model.

    Attributes:
        make: an engine with room for so many tokens.
        at_once: whether work must be done before the next step.
        tokens: in a page, of all ranks.
        apart: the ranks of which each has requests of its own, if they are so.
        together: all that have the same ones as this rank, if it is not the only one.
        requests: where it is so, what makes the step of an engine's ranks.
    """

    make: Callable[[int], Assembled]
    at_once: bool = False
    tokens: int = 0
    apart: Group | None = None
    together: Group | None = None
    requests: dict[Engine, DataParallel] = field(default_factory=dict)


def _by_heads(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Mode:
    layout = tiny(run.preset, options_of(run, tp_size=group.rank.of))
    drafter = _drafter(run, whole, Sharing(group.rank, group.total))

    def make(tokens: int) -> Assembled:
        parts = _parts(group, run, whole, layout, asked, states, tokens, drafter=drafter)
        parts.join = lambda engine_of, allocator, device, policy, others: tensor_parallel(
            group, whole, allocator, device, policy, engine_of, others
        )
        return assembled(parts)

    return Mode(make, together=group)


def _by_layers(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Mode:
    stage = stage_layouts(whole, [0, STAGE_LAYERS])[group.rank.number]
    drafter = _drafter(run, whole, Sharing())
    shown = None if drafter is None else StageDrafter(group, drafter)

    def make(tokens: int) -> Assembled:
        parts = _parts(group, run, whole, stage, asked, states, tokens, drafter=shown)
        parts.join = lambda engine_of, allocator, device, policy, others: pipelined(
            group, stage, allocator, device, policy, engine_of, for_draft=drafter is not None
        )
        return assembled(parts)

    return Mode(make, at_once=True, together=group)


def _by_tokens(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Mode:
    attend = partial(attended_together, group)
    drafter = _drafter(run, whole, Sharing(attend=attend, in_block=partial(attend, in_block=True)))
    wide = whole.page_tokens * group.rank.of

    def make(tokens: int) -> Assembled:
        parts = _parts(
            group, run, whole, whole, asked, states, tokens // group.rank.of, drafter=drafter, page_tokens=wide
        )
        parts.join = lambda engine_of, allocator, device, policy, others: context_parallel(
            group, whole, allocator, device, policy, engine_of, others
        )
        return assembled(parts)

    return Mode(make, tokens=wide, together=group)


def _by_requests(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Mode:
    ranks: dict[Engine, DataParallel] = {}

    def join(engine_of: EngineOf, allocator: Any, device: Any, policy: Any, others: Any) -> Engine:
        one = data_parallel(group, whole, allocator, device, policy, engine_of)
        ranks[one.engine] = one
        return one.engine

    def make(tokens: int) -> Assembled:
        parts = _parts(group, run, whole, whole, asked, states, tokens)
        parts.join = join
        return assembled(parts)

    return Mode(make, at_once=True, apart=group, requests=ranks)


SIDE = 2
"""Ranks in each line of a grid."""

_AXES = {
    "tensor-parallel": "heads",
    "pipeline-parallel": "layers",
    "decode-context-parallel": "tokens",
    "data-parallel-attention": "requests",
}


@cache
def _grid(group: Group, ways: tuple[str, ...]) -> Grid:
    return grid_of(group, **{_AXES[way]: SIDE for way in ways})


def _in_grid(group: Group, run: Run, whole: Layout, asked: list[Task], states: int) -> Mode:
    grid, ranks = _grid(group, tuple(_ways(run))), dict[Engine, DataParallel]()
    of_tokens = 1 if grid.tokens is None else SIDE
    of_heads = (
        whole
        if grid.heads is None
        else tiny(run.preset, replace(options_of(run), page_tokens=whole.page_tokens, tp_size=SIDE))
    )
    stage, layout = whole, of_heads
    if grid.layers is not None:
        layout = in_two_stages(of_heads) if grid.heads is not None else of_heads
        stage, layout = (stage_layouts(each, [0, STAGE_LAYERS])[grid.layers.rank.number] for each in (whole, layout))
    drafter = _drafter(run, whole, grid.shared())
    shown = drafter if drafter is None or grid.layers is None else StageDrafter(grid.layers, drafter)

    def join(engine_of: EngineOf, allocator: Any, device: Any, policy: Any, others: Any) -> Engine:
        member = in_grid(grid, stage, allocator, device, policy, engine_of, others, for_draft=drafter is not None)
        if member.replica is not None:
            ranks[member.engine] = member.replica
        return member.engine

    def make(tokens: int) -> Assembled:
        parts = _parts(
            group,
            run,
            whole,
            layout,
            asked,
            states,
            tokens // of_tokens,
            drafter=shown,
            page_tokens=whole.page_tokens * of_tokens,
            stage=grid.stage,
        )
        parts.join = join
        return assembled(parts)

    is_joined = grid.layers is not None or grid.requests is not None
    tokens = 0 if grid.tokens is None else whole.page_tokens * of_tokens
    return Mode(make, is_joined, tokens, grid.requests, grid.together, ranks)


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


def _drafter(run: Run, whole: Layout, sharing: Sharing) -> Any:
    chain = chain_in(run)
    return None if chain is None else DRAFTERS[chain](whole, sharing=sharing)


_MODES: dict[str, Callable[[Group, Run, Layout, list[Task], int], Mode]] = {
    "tensor-parallel": _by_heads,
    "pipeline-parallel": _by_layers,
    "decode-context-parallel": _by_tokens,
    "data-parallel-attention": _by_requests,
}


def _driven(group: Group, run: Run, mode: Mode, asked: list[Task], room: int) -> Seen:
    """Serve in the same steps on all ranks, and watch."""
    seen, chance, left = Seen(), random.Random(3), list(asked)
    made = mode.make(room)
    engine, device = made.engine, made.runtime
    jobs: list[Job] = []
    more = True
    # what other ranks with the same requests have to do must be the same, which is not to be helped here
    while more or left if mode.apart is None else any(each for (each,) in group.numbers([more or bool(left)])):
        if left and (engine.is_idle or chance.random() < 0.3):
            task = left.pop(0)
            jobs.append(engine.submit(task.prompt, task.new_tokens))
        if engine in mode.requests:
            more = mode.requests[engine].step(device.run_all)
        else:
            _get_on(mode, made, chance)
            engine.step()
            if mode.at_once:
                device.run_all()
            more = not engine.is_idle
        seen.times["overlap"] += len(engine.flying) > 1
        perhaps_preempt(run, engine, chance, seen)
    seen.times.update(dict.fromkeys(_ways(run), len(jobs)))
    seen.furthest = furthest(made.layout, asked, jobs)
    _look_at(run, mode, [made], seen)
    return seen


def _get_on(mode: Mode, made: Assembled, chance: random.Random) -> None:
    if not mode.at_once:
        for _ in range(chance.randrange(4)):
            made.runtime.step(chance.randrange(8))


def _look_at(run: Run, mode: Mode, all_made: list[Assembled], seen: Seen) -> None:
    for made in all_made:
        assert not made.findings, made.findings[0]
        made.allocator.check()
        assert made.runtime.host_waits == 0
    look_at(run, all_made, seen)
    if mode.tokens:
        seen.times["large-pages"] = mode.tokens == PAGES["large-pages"]


def _in_two_arenas(group: Group, run: Run, mode: Mode, asked: list[Task], room: int) -> Seen:
    """Prompts are computed by ranks with arenas of their own, each of which sends to the one with the same share."""
    seen, chance, left = Seen(), random.Random(3), list(asked)
    # what the network does is another thing on each rank; work adds up over ranks, and is done in the same steps
    own = random.Random(f"rank {group.rank.number}")
    first, second = mode.make(room if "host-tier" in run.features else FIRST), mode.make(ROOM[0] - LESS)
    network, to_first, to_second = SimulatedNetwork(), deque[Message](), deque[Message]()
    together = mode.together
    agreed = partial(AgreedTransport, together) if together is not None else lambda transport: transport
    caught_up = partial(AgreedDevice, together) if together is not None else lambda device: device
    sender = Sender(
        first.given,
        first.engine.requests,
        caught_up(first.device),
        agreed(network.join("first", first.device)),
        "first",
        lambda to, message: to_second.append(message),
        now=lambda: 0.0,
    )
    prefill = Prefill(first.engine, sender)
    decode = Decode(
        second.engine,
        second.given,
        caught_up(second.device),
        agreed(network.join("second", second.device)),
        "second",
        lambda to, message: to_first.append(message),
    )
    sender.meet(decode.receiver.hello)
    decode.receiver.meet(sender.hello)
    jobs: list[Asked] = []

    def ask() -> None:
        task = left.pop(0)
        jobs.append(decode.ask("first", f"{len(jobs)}", task.prompt, task.new_tokens))
        prefill.begin("second", f"{len(jobs) - 1}", task.prompt)

    more = True
    while more:
        if left and (chance.random() < 0.3 or not jobs):
            ask()
        # on the last rank it is the fastest
        for _ in range(own.randrange(4 + 8 * group.rank.number)):
            network.step(own.randrange(64))
        for made, step in ((first, prefill.step), (second, decode.step)):
            if made.engine in mode.requests:
                mode.requests[made.engine].step(made.runtime.run_all, step)
            else:
                _get_on(mode, made, chance)
                step()
                if mode.at_once:
                    made.runtime.run_all()
            seen.times["overlap"] += len(made.engine.flying) > 1
            perhaps_preempt(run, made.engine, chance, seen, likely=0.5)
        if to_first:
            network.see("first")
            sender.take("second", to_first.popleft())
        if to_second:
            network.see("second")
            decode.receiver.take("first", to_second.popleft())
        is_open = bool(left or to_first or to_second) or not (prefill.is_idle and decode.is_idle)
        more = any(each for (each,) in group.numbers([is_open]))
    seen.times.update(dict.fromkeys(_ways(run), len(jobs)))
    seen.times["disaggregation"] = sum(not each.recomputed for each in jobs)
    seen.furthest = furthest(first.layout, asked, [each.reserved for each in jobs])
    _look_at(run, mode, [first, second], seen)
    return seen
