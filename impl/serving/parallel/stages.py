"""Pipeline parallelism: each rank has some of the layers, and an arena in a layout of its own."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import torch

from impl.device.arena import ArenaDevice
from impl.layout import Kind, Layout, Lifetime, Stored, chain_of
from impl.misuse import Misuse
from impl.serving.engine.engine import Engine, EngineOf, Policy
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import HIDDEN, VOCABULARY, Model
from impl.serving.engine.sharing import Sharing
from impl.serving.parallel.agreeing import in_agreement
from impl.serving.parallel.group import Group
from impl.serving.parallel.witness import Planned, Witness


def with_layers(layout: Layout, layers: Collection[int]) -> Layout:
    """The layout of some of a model's layers, which keep their numbers; a kind that none of them has is left out."""
    stored = [
        Stored(row.layer, kind.lifetime, kind.window, row.part, row.shape, row.dtype, row.draft)
        for kind in layout.kinds
        for row in kind.rows
        if row.layer in layers
    ]
    return replace(layout, kinds=chain_of(stored, layout.page_tokens))


def stage_layouts(layout: Layout, first: Sequence[int]) -> list[Layout]:
    """The layouts of the stages of a model.

    Args:
        layout: of the whole model.
        first: the first layer of each stage, rising from the model's first.

    Raises:
        Misuse: a stage would have no layers, or its kinds would form no chain: each needs full attention and another
            kind.
    """
    layers = sorted({row.layer for kind in layout.kinds for row in kind.rows})
    ends = [*first[1:], layers[-1] + 1]
    if list(first) != sorted(set(first)) or first[0] != layers[0] or ends[-1] <= first[-1]:
        raise Misuse("first", list(first), "does not rise from the first layer", "name the first layer of each stage")
    stages = []
    for begin, end in zip(first, ends, strict=True):
        stage = with_layers(layout, range(begin, end))
        if len(stage.kinds) < 2 or stage.kinds[-1].lifetime is not Lifetime.FULL:
            problem = f"layers {begin} to {end - 1} keep {_names(stage.kinds)} alone, which is no chain of kinds"
            raise Misuse("first", list(first), problem, "give each stage full attention and another kind")
        stages.append(stage)
    return stages


class StageModel(Model):
    """The layers of one stage: what it computes goes on to the next, and what the last one says comes back to all.

    Args:
        layout: of the stage.
        group: of all stages, in order.
        seed: of the weights of the whole model.
        sharing: of the stage's work among ranks that all have this stage.
        for_draft: whether what every layer gives goes on, and not only what the next stage begins with: a draft of the
            last stage may take it.
    """

    def __init__(
        self, layout: Layout, group: Group, seed: int = 0, sharing: Sharing | None = None, *, for_draft: bool = False
    ) -> None:
        super().__init__(layout, seed, sharing)
        self._group, self._for_draft = group, for_draft
        self._last = group.rank.of - 1
        layers = [count for (count,) in group.numbers([len(self.layers)])]
        self._received = sum(layers[: group.rank.number]) if for_draft else min(group.rank.number, 1)

    def outputs(self, tokens: torch.Tensor, memory: Memory) -> list[torch.Tensor]:
        """See `Model.outputs`: of the layers before, as far as they go on, and of this stage's."""
        self.sharing.begins()
        number, before = self._group.rank.number, list[torch.Tensor]()
        if number:
            before = list(self._group.receive((self._received, len(tokens), HIDDEN), number - 1))
        outputs = [*before, *self.own_outputs(before[-1] if before else self.embedded(tokens), memory)]
        if number != self._last:
            self._group.send(torch.stack(outputs if self._for_draft else outputs[-1:]), number + 1)
        return outputs

    def own_outputs(self, x: torch.Tensor, memory: Memory) -> list[torch.Tensor]:
        """What each layer of this stage gives for what the first of them is given."""
        outputs = []
        for layer in self.layers:
            x = layer(x, memory)
            outputs.append(x)
        return outputs

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """See `Model.logits`: those of the last stage, on all."""
        if self._group.rank.number == self._last:
            return self._group.from_one(super().logits(hidden), self._last)
        return self._group.from_one(torch.empty(*hidden.shape[:-1], VOCABULARY, dtype=torch.float64), self._last)


def pipelined(
    group: Group,
    stage: Layout,
    allocator: Planned,
    device: ArenaDevice[Any],
    policy: Policy | None = None,
    engine_of: EngineOf = Engine,
    *,
    for_draft: bool = False,
) -> Engine:
    """The engine of one stage, to which the same jobs are given in the same order on all stages.

    Work that it launches must be done in the order in which it is launched, between the same calls on all stages.

    Args:
        group: of the stages.
        stage: the layout of this one.
        allocator: of this stage.
        device: of the allocator.
        policy: the same on all stages.
        engine_of: makes another engine than `Engine`; the same on all stages.
        for_draft: see `StageModel`.
    """
    model = StageModel(stage, group, for_draft=for_draft)
    return in_agreement(group, model, Witness(allocator, layout=False), device, policy, engine_of, in_stages=True)


def _names(kinds: Sequence[Kind]) -> str:
    return ", ".join(kind.name for kind in kinds)
