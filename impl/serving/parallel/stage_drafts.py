"""Speculation in stages: the draft's rows are in the last stage's entries, which proposes; all hear what."""

from collections.abc import Sequence

import torch

from impl.serving.engine.memory import Memory
from impl.serving.engine.model import HIDDEN, VOCABULARY
from impl.serving.parallel.group import Group
from impl.serving.speculation.drafter import Drafter, MemoryBetween, Pick, Proposal


class StageDrafter(Drafter):
    """What a stage knows of the draft.

    Args:
        group: of the stages.
        drafter: of the whole model; used by the last stage alone, where its rows are.
    """

    def __init__(self, group: Group, drafter: Drafter) -> None:
        self._group, self._drafter = group, drafter
        self._last = group.rank.of - 1
        self._is_last = group.rank.number == self._last
        self.width, self._hidden = drafter.width, drafter.hidden_size

    def features(self, outputs: Sequence[torch.Tensor]) -> torch.Tensor:
        """See `Drafter.features`; nothing on other stages than the last."""
        return self._drafter.features(outputs) if self._is_last else outputs[0].new_zeros(len(outputs[0]), self.width)

    def extend(self, features: torch.Tensor, following: torch.Tensor, memory: Memory) -> torch.Tensor:
        """See `Drafter.extend`; nothing on other stages than the last."""
        if self._is_last:
            return self._drafter.extend(features, following, memory)
        return features.new_zeros(len(features), HIDDEN)

    def propose(
        self, before: torch.Tensor, token: torch.Tensor, at: int, count: int, memory: MemoryBetween, pick: Pick
    ) -> Proposal:
        """See `Drafter.propose`: what the last stage proposes, on all."""
        said = torch.empty(count, 1 + VOCABULARY, dtype=torch.float64)
        if self._is_last:
            proposal = self._drafter.propose(before, token, at, count, memory, pick)
            said = torch.cat([proposal.tokens.double()[:, None], proposal.logits], dim=1)
        said = self._group.from_one(said, self._last)
        return Proposal(said[:, 0].long(), said[:, 1:])
