"""Data parallelism in attention: each rank has requests and an arena of its own; the work on each token is shared.

Ranks meet in *rounds*: in each, every rank that still has a request in its step computes one, and the others take part
in the shared work with no tokens of their own.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.serving.engine.engine import Engine, EngineOf, Policy, Tickets
from impl.serving.engine.model import HIDDEN, Model
from impl.serving.engine.sharing import Sharing, worked
from impl.serving.parallel.group import Group


class Rounds:
    """Of each rank the part in the rounds: a model has all of the attention, and a share of what works on each token.

    Args:
        group: of the ranks.
    """

    def __init__(self, group: Group) -> None:
        self.group = group

    def shared(self, sharing: Sharing | None = None) -> Sharing:
        """How a model takes part, which may also be shared with other ranks."""
        return replace(sharing or Sharing(), work=self._worked_together, begins=lambda: self._begins(computes=True))

    def take_part(self, model: Model) -> None:
        """Take part in the rounds of the others, until every rank is at the end of its step."""
        while self._begins(computes=False):
            model.work_on_nothing()

    def _begins(self, *, computes: bool) -> bool:
        """Whether there is another round."""
        return any(each for (each,) in self.group.numbers([computes]))

    def _worked_together(self, x: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
        """See `worked`: gather the tokens of all ranks, compute a share for each of them, and add the shares up."""
        rank = self.group.rank
        counts = [count for (count,) in self.group.numbers([len(x)])]
        begin = sum(counts[: rank.number])
        own = slice(begin, begin + len(x))
        tokens = torch.zeros(sum(counts), HIDDEN, dtype=torch.float64)
        tokens[own] = x
        share = rank.heads(len(up))
        return self.group.total(worked(self.group.total(tokens), up[share], down[:, share]))[own]


class DataParallel:
    """One rank: an engine for its own jobs.

    Args:
        rounds: in which it meets the others.
        model: of the engine, which takes part in them.
        engine: of this rank.
    """

    def __init__(self, rounds: Rounds, model: Model, engine: Engine) -> None:
        self._rounds, self._model, self.engine = rounds, model, engine

    def step(self, does: Callable[[], object] = lambda: None, begins: Callable[[], object] | None = None) -> bool:
        """A step of all ranks; whether any of them has more to do.

        Args:
            does: what this rank's device was given.
            begins: a step of the engine, and of whatever stands above it; the engine's own if left out.
        """
        (begins or self.engine.step)()
        does()
        self._rounds.take_part(self._model)
        return any(more for (more,) in self._rounds.group.numbers([not self.engine.is_idle]))


def data_parallel(
    group: Group,
    layout: Layout,
    allocator: Tickets,
    device: ArenaDevice[Any],
    policy: Policy | None = None,
    engine_of: EngineOf = Engine,
) -> DataParallel:
    """One rank, which is given jobs of its own.

    Args:
        group: of the ranks.
        layout: of the model, and of each rank's arena.
        allocator: of this rank.
        device: of the allocator.
        policy: of this rank.
        engine_of: makes another engine than `Engine`.
    """
    rounds = Rounds(group)
    model = Model(layout, sharing=rounds.shared())
    return DataParallel(rounds, model, engine_of(model, allocator, device, policy))
