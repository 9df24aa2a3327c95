"""Tensor parallelism: each rank computes some heads of every layer, and keeps their rows in an arena of its own."""

from collections.abc import Sequence
from typing import Any

from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.serving.engine.engine import Engine, EngineOf, Policy
from impl.serving.engine.model import Model
from impl.serving.engine.sharing import Sharing
from impl.serving.parallel.agreeing import in_agreement
from impl.serving.parallel.group import Group
from impl.serving.parallel.witness import Planned, Witness


def tensor_parallel(
    group: Group,
    whole: Layout,
    allocator: Planned,
    device: ArenaDevice[Any],
    policy: Policy | None = None,
    engine_of: EngineOf = Engine,
    others: Sequence[Witness] = (),
) -> Engine:
    """The engine of one rank, to which the same jobs are given in the same order on all ranks.

    Args:
        group: of the ranks.
        whole: the layout of the model on one rank alone.
        allocator: of this rank, whose layout is that of `group.rank.of` ranks.
        device: of the allocator.
        policy: the same on all ranks.
        engine_of: see `in_agreement`.
        others: see `in_agreement`.
    """
    model = Model(whole, sharing=Sharing(group.rank, group.total))
    return in_agreement(group, model, Witness(allocator, layout=True), device, policy, engine_of, others)
