"""The gated delta rule (Yang, Kautz and Hatamizadeh, Gated Delta Networks, 2024), one token after the other."""

from collections.abc import Callable
from typing import NamedTuple

import torch


class Inputs(NamedTuple):
    """What a layer makes of its new tokens, each [tokens, heads, elements] but `strength`, [tokens, heads]."""

    queries: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor
    decay: torch.Tensor
    """0 to 1, for each key element or one for the head."""
    strength: torch.Tensor
    """0 to 1: how much of what a key finds is replaced by its value."""


def recurred(
    state: torch.Tensor, inputs: Inputs, rounded: Callable[[torch.Tensor], torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs of new tokens, and the state after them.

    The state is rounded to what it is kept in after each token, so that it does not matter in how many forwards the
    tokens come.

    Args:
        state: [heads, key elements, value elements].
        inputs: of the new tokens.
        rounded: gives a state as it would be read back.

    Returns:
        [tokens, heads, value elements], and the state.
    """
    outputs = []
    for query, key, value, decay, strength in zip(*inputs, strict=True):
        state = state * decay[:, :, None]
        found = torch.einsum("hkv,hk->hv", state, key)
        state = state + torch.einsum("hk,hv->hkv", key, strength[:, None] * (value - found))
        state = rounded(state)
        outputs.append(torch.einsum("hkv,hk->hv", state, query))
    return torch.stack(outputs), state
