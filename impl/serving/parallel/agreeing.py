"""An engine of one of several ranks that make the same calls."""

from collections.abc import Sequence
from typing import Any

from impl.device.arena import ArenaDevice
from impl.serving.engine.engine import Engine, EngineOf, Policy
from impl.serving.engine.model import Model
from impl.serving.parallel.agreement import Agreement
from impl.serving.parallel.conjunction import Conjunction
from impl.serving.parallel.group import Group
from impl.serving.parallel.witness import Witness


def in_agreement(
    group: Group,
    model: Model,
    witness: Witness,
    device: ArenaDevice[Any],
    policy: Policy | None = None,
    engine_of: EngineOf = Engine,
    others: Sequence[Witness] = (),
    *,
    in_stages: bool = False,
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
        in_stages: whether what one rank has room for another may not: then they admit, and go on with a text, together.
    """
    witnesses = (witness, *others)

    def said() -> dict[str, int]:
        return {name: number for each in witnesses for name, number in each.said().items()}

    agreement = Agreement(group, said)
    engine = engine_of(model, Conjunction(witness, agreement) if in_stages else witness, device, policy)
    engine.agreed = agreement.ended
    if in_stages and engine.prefix is not None:
        engine.prefix.gathered = agreement.gathered
    return engine
