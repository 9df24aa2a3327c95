"""Tensor parallelism: each rank computes some heads of every layer, and keeps their rows in an arena of its own."""

from collections.abc import Sequence
from typing import Any

from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.serving.engine.engine import Engine, EngineOf, Policy
from impl.serving.engine.model import Model
from impl.serving.engine.sharing import Sharing
from impl.serving.parallel.agreement import Agreement
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


def in_agreement(
    group: Group,
    model: Model,
    witness: Witness,
    device: ArenaDevice[Any],
    policy: Policy | None = None,
    engine_of: EngineOf = Engine,
    others: Sequence[Witness] = (),
) -> Engine:
    """An engine that takes note of a forward's end when all ranks have seen it, and compares itself with theirs then.

    Args:
        group: of the ranks.
        model: of this one.
        witness: of its allocator.
        device: of the allocator.
        policy: the same on all ranks.
        engine_of: makes another engine than `Engine`; the same on all ranks.
        others: of other allocators that must be the same on all ranks, such as that of the host's arena.
    """
    engine = engine_of(model, witness, device, policy)
    witnesses = (witness, *others)

    def said() -> dict[str, int]:
        return {name: number for each in witnesses for name, number in each.said().items()}

    engine.agreed = Agreement(group, said).ended
    return engine
