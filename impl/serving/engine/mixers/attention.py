"""Attention of new tokens over what a request keeps."""

from collections.abc import Callable

import torch

Attend = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, int, "int | None"], torch.Tensor]
"""Computes as `attended` does."""


def attended(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, end: int, window: int | None
) -> torch.Tensor:
    """Causal attention, each query head over the keys of its group.

    Args:
        queries: [new, query heads, key elements], of the last tokens before `end`.
        keys: [kept, key heads, key elements], of the last tokens before `end`.
        values: [kept, key heads, value elements].
        end: tokens of the request, the new ones included.
        window: tokens that each looks back on, itself included; None for all.

    Returns:
        [new, query heads, value elements].
    """
    heads = queries.shape[1] // keys.shape[1]
    keys, values = keys.repeat_interleave(heads, 1), values.repeat_interleave(heads, 1)
    scores = torch.einsum("qhd,khd->hqk", queries, keys) / queries.shape[-1] ** 0.5
    seeing = torch.arange(end - len(queries), end, device=queries.device)[:, None]
    seen = torch.arange(end - len(keys), end, device=queries.device)[None, :]
    hidden = seen > seeing
    if window is not None:
        hidden |= seen <= seeing - window
    # what is hidden may be no number, and nothing of it may get through
    scores = scores.masked_fill(hidden, float("-inf"))
    weights = scores.softmax(-1)
    out_of_reach = hidden.all(0)
    values = values.masked_fill(out_of_reach[:, None, None], 0.0)
    return torch.einsum("hqk,khd->qhd", weights, values)
