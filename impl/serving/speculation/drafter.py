"""What a draft model is to the engine: it keeps rows in the target's entries, and proposes tokens."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import torch

from impl.layout import Layout
from impl.misuse import Misuse
from impl.serving.engine.layers import layers_of
from impl.serving.engine.memory import Memory
from impl.serving.engine.mixers.attention import Attend
from impl.serving.engine.model import Model
from impl.serving.engine.sharing import Sharing

MemoryBetween = Callable[[int, int], Memory]
"""The memory of a request as if it had tokens up to `end`, of which those from `begin` on are new."""

Pick = Callable[[int, torch.Tensor], int]
"""The token that is proposed at a place, from 0, given its logits."""


class Proposal(NamedTuple):
    """Tokens that may come next.

    Attributes:
        tokens: [proposed].
        logits: [proposed, vocabulary], as the draft gave them.
    """

    tokens: torch.Tensor
    logits: torch.Tensor


class Drafter(ABC):
    """A draft model with random weights over what the target's layers give.

    The draft's row of position p is made of what the target gave at p, and of the token at p + 1. So it is final as
    soon as the target has computed p and the token after it is known; a row that was written while proposing is made
    of the draft's own guesses, and is written again once the target has been there.

    Args:
        layout: of the target, with the draft's rows fused into its entries.
        seed: of the target's weights: embedding and output are the target's.
        device: where the weights lie; the CPU if left out.
        sharing: with the other ranks, of whose model it is the draft; a draft that computes everything if left out.

    Attributes:
        width: elements of what is taken from the target for each token.

    Raises:
        Misuse: the layout has no rows of a draft.
    """

    taken_from: ClassVar[int] = 1
    """Of how many of the target's layers it takes what they give, spread over the target, the last one among them."""

    def __init__(
        self, layout: Layout, seed: int = 0, device: torch.device | None = None, sharing: Sharing | None = None
    ) -> None:
        if not layers_of(layout, draft=True):
            raise Misuse("layout", layout.model, "no entry has rows of a draft", "give Options a Draft")
        self._sharing = sharing or Sharing()
        self._model = self._model_with(self._sharing.attend, layout, seed, device)
        self._hidden = self._model.embedded(torch.zeros(1, dtype=torch.int64, device=device)).shape[-1]
        last = len(layers_of(layout)) - 1
        self._taken = sorted({last * (place + 1) // self.taken_from for place in range(self.taken_from)})
        self.width = len(self._taken) * self._hidden

    def _model_with(self, attend: Attend, layout: Layout, seed: int, device: torch.device | None) -> Model:
        return Model(layout, seed, replace(self._sharing, attend=attend), device, draft=True)

    @property
    def hidden_size(self) -> int:
        """Elements of what `extend` gives for each token."""
        return self._hidden

    def features(self, outputs: Sequence[torch.Tensor]) -> torch.Tensor:
        """What is taken of the target for some tokens, [tokens, `width`].

        Args:
            outputs: of each of the target's layers.
        """
        return torch.cat([outputs[layer] for layer in self._taken], dim=-1)

    @abstractmethod
    def extend(self, features: torch.Tensor, following: torch.Tensor, memory: Memory) -> torch.Tensor:
        """Write the final rows of some tokens; returns what the draft's last layer gives, [tokens, `hidden_size`].

        Args:
            features: of the tokens.
            following: the token after each.
            memory: whose new tokens they are.
        """

    @abstractmethod
    def propose(
        self, before: torch.Tensor, token: torch.Tensor, at: int, count: int, memory: MemoryBetween, pick: Pick
    ) -> Proposal:
        """So many tokens after the last one that is known. Writes rows at its position and after, none of them final.

        Args:
            before: what `extend` gave for the position before it.
            token: the last one that is known; without extents.
            at: its position, at least 1; the rows of all positions before it are final.
            count: at least one; the request has pages up to position `at + count`.
            memory: of the request.
            pick: chooses each.
        """
