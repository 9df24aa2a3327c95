"""What a rank's program is like: the least that serves a tiny model on several ranks, whose devices do all at once."""

from collections.abc import Sequence
from typing import Any

from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.at_once import AtOnceRuntime
from impl.layout import Layout, Options
from impl.serving.engine.engine import Engine
from impl.serving.engine.tiny import PAGE_TOKENS, tiny
from impl.serving.parallel.group import Group
from impl.serving.parallel.stages import pipelined, stage_layouts
from impl.serving.parallel.tensor import tensor_parallel

Said = list[list[int]]
"""Of each prompt the tokens after it."""


def by_heads(group: Group, preset: str, prompts: Sequence[Sequence[int]], new_tokens: int, arena_bytes: int) -> Said:
    """Serve with tensor parallelism.

    Args:
        group: of the ranks.
        preset: see `tiny`.
        prompts: the same on all ranks, as is all that follows.
        new_tokens: after each.
        arena_bytes: of each rank.
    """
    layout = tiny(preset, Options(page_tokens=PAGE_TOKENS, tp_size=group.rank.of))
    allocator, device = _arena(layout, arena_bytes)
    return _served(tensor_parallel(group, tiny(preset), allocator, device), prompts, new_tokens)


def by_layers(
    group: Group, whole: Layout, first: Sequence[int], prompts: Sequence[Sequence[int]], new_tokens: int, arena: int
) -> Said:
    """Serve with pipeline parallelism.

    Args:
        group: of the stages.
        whole: the layout of the model.
        first: the first layer of each stage.
        prompts: the same on all stages, as is all that follows.
        new_tokens: after each.
        arena: bytes of each stage.
    """
    stage = stage_layouts(whole, first)[group.rank.number]
    allocator, device = _arena(stage, arena)
    return _served(pipelined(group, stage, allocator, device), prompts, new_tokens)


def _arena(layout: Layout, arena_bytes: int) -> tuple[Allocator, ArenaDevice[Any]]:
    devices: list[ArenaDevice[Any]] = []

    def device(chain: Chain) -> ArenaDevice[Any]:
        devices.append(ArenaDevice(chain, AtOnceRuntime()))
        return devices[-1]

    allocator = Allocator(layout, arena_bytes, device=device)
    return allocator, devices[0]


def _served(engine: Engine, prompts: Sequence[Sequence[int]], new_tokens: int) -> Said:
    jobs = [engine.submit(prompt, new_tokens) for prompt in prompts]
    while not engine.is_idle:
        engine.step()
    return [job.said for job in jobs]
