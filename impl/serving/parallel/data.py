"""Data parallelism in attention: each rank has requests and an arena of its own; the work on each token is shared.

Ranks meet in *rounds*: in each, every rank that still has a request in its step computes one, and the others take part
in the shared work with no tokens of their own.
"""

from collections.abc import Callable
from typing import Any

import torch

from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.serving.engine.engine import Engine, EngineOf, Policy, Tickets
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import HIDDEN, Model, worked
from impl.serving.parallel.group import Group


class DataParallelModel(Model):
    """A model of which each rank has all of the attention, and of what works on each token a share of the numbers.

    Args:
        layout: of the whole model, and of each rank's arena.
        group: of the ranks.
        seed: of the weights.
    """

    def __init__(self, layout: Layout, group: Group, seed: int = 0) -> None:
        super().__init__(layout, seed, work=self._worked_together)
        self._group = group

    def outputs(self, tokens: torch.Tensor, memory: Memory) -> list[torch.Tensor]:
        """See `Model.outputs`: a round, in which the other ranks take part."""
        self._begins(computes=True)
        return super().outputs(tokens, memory)

    def take_part(self) -> None:
        """Take part in the rounds of the others, until every rank is at the end of its step."""
        while self._begins(computes=False):
            self.work_on_nothing()

    def _begins(self, *, computes: bool) -> bool:
        """Whether there is another round."""
        return any(each for (each,) in self._group.numbers([computes]))

    def _worked_together(self, x: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
        """See `worked`: gather the tokens of all ranks, compute a share for each of them, and add the shares up."""
        rank = self._group.rank
        counts = [count for (count,) in self._group.numbers([len(x)])]
        begin = sum(counts[: rank.number])
        own = slice(begin, begin + len(x))
        tokens = torch.zeros(sum(counts), HIDDEN, dtype=torch.float64)
        tokens[own] = x
        share = rank.heads(len(up))
        return self._group.total(worked(self._group.total(tokens), up[share], down[:, share]))[own]


class DataParallel:
    """One rank: an engine for its own jobs.

    Args:
        group: of the ranks.
        layout: of the model.
        allocator: of this rank.
        device: of the allocator.
        policy: of this rank.
        engine_of: makes another engine than `Engine`.
    """

    def __init__(
        self,
        group: Group,
        layout: Layout,
        allocator: Tickets,
        device: ArenaDevice[Any],
        policy: Policy | None = None,
        engine_of: EngineOf = Engine,
    ) -> None:
        self._group = group
        self._model = DataParallelModel(layout, group)
        self.engine = engine_of(self._model, allocator, device, policy)

    def step(self, does: Callable[[], object] = lambda: None, begins: Callable[[], object] | None = None) -> bool:
        """A step of all ranks; whether any of them has more to do.

        Args:
            does: what this rank's device was given.
            begins: a step of the engine, and of whatever stands above it; the engine's own if left out.
        """
        (begins or self.engine.step)()
        does()
        self._model.take_part()
        return any(more for (more,) in self._group.numbers([not self.engine.is_idle]))
