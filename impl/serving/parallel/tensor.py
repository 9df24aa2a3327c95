"""Tensor parallelism: each rank computes some heads of every layer, and keeps their rows in an arena of its own."""

from typing import Any

from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.serving.engine.engine import Engine, Policy
from impl.serving.engine.model import Model
from impl.serving.parallel.agreement import Agreement
from impl.serving.parallel.group import Group
from impl.serving.parallel.witness import Planned, Witness


def tensor_parallel(
    group: Group, whole: Layout, allocator: Planned, device: ArenaDevice[Any], policy: Policy | None = None
) -> Engine:
    """The engine of one rank, to which the same jobs are given in the same order on all ranks.

    Args:
        group: of the ranks.
        whole: the layout of the model on one rank alone.
        allocator: of this rank, whose layout is that of `group.rank.of` ranks.
        device: of the allocator.
        policy: the same on all ranks.
    """
    model = Model(whole, rank=group.rank, total=group.total)
    return in_agreement(group, model, Witness(allocator, layout=True), device, policy)


def in_agreement(
    group: Group, model: Model, witness: Witness, device: ArenaDevice[Any], policy: Policy | None = None
) -> Engine:
    """An engine that takes note of a forward's end when all ranks have seen it, and compares itself with theirs then.

    Args:
        group: of the ranks.
        model: of this one.
        witness: of its allocator.
        device: of the allocator.
        policy: the same on all ranks.
    """
    engine = Engine(model, witness, device, policy)
    engine.agreed = Agreement(group, witness.said).ended
    return engine
