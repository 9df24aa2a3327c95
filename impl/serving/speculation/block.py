"""Drafts that propose a block of tokens in one forward of theirs."""

from typing import ClassVar

import torch

from impl.layout import Layout
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import VOCABULARY
from impl.serving.engine.sharing import Sharing
from impl.serving.engine.weights import Weights
from impl.serving.speculation.drafter import Drafter, MemoryBetween, Pick, Proposal


class DFlash(Drafter):
    """The last known token and a mask for each one that is proposed see each other, and all that is before them.

    To memory it means: a proposal of k tokens writes k + 1 rows at once, and reads them in the same forward, the later
    ones from the earlier as well. Rows of known tokens are made of what several of the target's layers gave alone.
    """

    taken_from: ClassVar[int] = 3

    def __init__(
        self, layout: Layout, seed: int = 0, device: torch.device | None = None, sharing: Sharing | None = None
    ) -> None:
        super().__init__(layout, seed, device, sharing)
        weights = Weights(seed, device or torch.device("cpu"))
        self._within = self._model_with(self._sharing.in_block or seeing_the_whole_block, layout, seed, device)
        self._reduce = weights.matrix("draft features", self._hidden, self.width)
        self._mask = weights.matrix("draft mask", self._hidden, 1)[:, 0]

    def extend(self, features: torch.Tensor, following: torch.Tensor, memory: Memory) -> torch.Tensor:
        """See `Drafter.extend`; what follows makes no difference."""
        return self._model.through(features @ self._reduce.T, memory)

    def propose(
        self, before: torch.Tensor, token: torch.Tensor, at: int, count: int, memory: MemoryBetween, pick: Pick
    ) -> Proposal:
        """See `Drafter.propose`; `before` makes no difference."""
        block = torch.cat([self._model.embedded(token[None]), self._mask.expand(count, -1)])
        out = self._within.through(block, memory(at, at + count + 1))
        return self._picked(token, self._model.logits(self._model.finished(out[1:])), pick)

    def _picked(self, token: torch.Tensor, logits: torch.Tensor, pick: Pick) -> Proposal:
        tokens = [pick(place, each) for place, each in enumerate(logits)]
        return Proposal(torch.tensor(tokens, device=token.device), logits)


class DSpark(DFlash):
    """A block whose tokens are chosen from the left, each with a regard for the one before.

    To memory it means what `DFlash` means; such a draft usually has a window of its own, hence a band of its own.
    """

    def __init__(
        self, layout: Layout, seed: int = 0, device: torch.device | None = None, sharing: Sharing | None = None
    ) -> None:
        super().__init__(layout, seed, device, sharing)
        self._after = Weights(seed, device or torch.device("cpu")).matrix("draft after", VOCABULARY, VOCABULARY)

    def _picked(self, token: torch.Tensor, logits: torch.Tensor, pick: Pick) -> Proposal:
        tokens, regarding = [int(token)], []
        for place, each in enumerate(logits):
            regarding.append(each + self._after[tokens[-1]])
            tokens.append(pick(place, regarding[-1]))
        return Proposal(torch.tensor(tokens[1:], device=token.device), torch.stack(regarding))


def seeing_the_whole_block(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, end: int, window: int | None
) -> torch.Tensor:
    """As `attended`, but that the queries' own tokens all see each other.

    The window of each still ends with itself: it is how far it looks back.
    """
    heads = queries.shape[1] // keys.shape[1]
    keys, values = keys.repeat_interleave(heads, 1), values.repeat_interleave(heads, 1)
    scores = torch.einsum("qhd,khd->hqk", queries, keys) / queries.shape[-1] ** 0.5
    seeing = torch.arange(end - len(queries), end, device=queries.device)[:, None]
    seen = torch.arange(end - len(keys), end, device=queries.device)[None, :]
    hidden = torch.zeros_like(seen <= seeing) if window is None else seen <= seeing - window
    # what no query sees may be no number, and nothing of it may get through
    weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    values = values.masked_fill(hidden.all(0)[:, None, None], 0.0)
    return torch.einsum("hqk,khd->qhd", weights, values)
