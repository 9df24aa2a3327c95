"""How ranks share the work of a model: which part each computes, and how the parts become what one would compute."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch.nn.functional import silu

from impl.serving.engine.mixers.attention import Attend, attended
from impl.serving.engine.rank import Rank


def worked(x: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """What works on each token by itself: [tokens, hidden size] from the same.

    Args:
        x: of the tokens.
        up: [inner, hidden size].
        down: [hidden size, inner].
    """
    return silu(x @ up.T) @ down.T


Worked = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""Computes as `worked` does."""


@dataclass(frozen=True)
class Sharing:
    """What a model does otherwise on one of several ranks; what is left out it does as if it were alone.

    Attributes:
        rank: whose heads are computed.
        total: adds up what the ranks computed of a layer's output.
        attend: computes attention over what a memory gives back.
        in_block: computes attention among tokens that a draft proposes at once; the draft's own way if left out.
        work: computes on each token by itself.
        begins: called before the tokens of a request are computed.
    """

    rank: Rank = field(default_factory=Rank)
    total: Callable[[torch.Tensor], torch.Tensor] = lambda partial: partial
    attend: Attend = attended
    in_block: Attend | None = None
    work: Worked = worked
    begins: Callable[[], object] = lambda: None
