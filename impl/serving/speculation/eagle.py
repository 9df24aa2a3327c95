"""Drafts that propose one token after the other, each from what the draft itself gave for the one before."""

from typing import ClassVar

import torch

from impl.layout import Layout
from impl.serving.engine.memory import Memory
from impl.serving.engine.sharing import Sharing
from impl.serving.engine.weights import Weights
from impl.serving.speculation.drafter import Drafter, MemoryBetween, Pick, Proposal


class Eagle(Drafter):
    """Over what the target's last layer gives (Li et al., EAGLE, 2024).

    To memory it means: a proposal of k tokens writes k - 1 rows, one forward of the draft for each.
    """

    def __init__(
        self, layout: Layout, seed: int = 0, device: torch.device | None = None, sharing: Sharing | None = None
    ) -> None:
        super().__init__(layout, seed, device, sharing)
        weights = Weights(seed, device or torch.device("cpu"))
        self._reduce = weights.matrix("draft features", self._hidden, self.width)
        self._join = weights.matrix("draft join", self._hidden, 2 * self._hidden)

    def extend(self, features: torch.Tensor, following: torch.Tensor, memory: Memory) -> torch.Tensor:
        """See `Drafter.extend`."""
        return self._through(features @ self._reduce.T, following, memory)

    def propose(
        self, before: torch.Tensor, token: torch.Tensor, at: int, count: int, memory: MemoryBetween, pick: Pick
    ) -> Proposal:
        """See `Drafter.propose`."""
        tokens: list[int] = []
        logits: list[torch.Tensor] = []
        for place in range(count):
            if place:
                row = at + place - 1
                guessed = torch.tensor(tokens[-1:], device=before.device)
                (before,) = self._through(before[None], guessed, memory(row, row + 1))
            logits.append(self._model.logits(self._model.finished(before)))
            tokens.append(pick(place, logits[-1]))
        return Proposal(torch.tensor(tokens, device=before.device), torch.stack(logits))

    def _through(self, x: torch.Tensor, following: torch.Tensor, memory: Memory) -> torch.Tensor:
        joined = torch.cat([self._model.embedded(following), x], dim=-1) @ self._join.T
        return self._model.through(joined, memory)


class Eagle3(Eagle):
    """Over what an early, a middle and the last layer of the target give (Li et al., EAGLE-3, 2025).

    To memory it means what `Eagle` means: more is taken of the target, and none of that stays in the arena.
    """

    taken_from: ClassVar[int] = 3
