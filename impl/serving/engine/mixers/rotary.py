"""Rotary positions (Su et al., RoFormer, 2021), without which the order of tokens would not show."""

from typing import Final

import torch

_BASE: Final = 10_000.0


def rotated(values: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Each pair of elements turned by an angle that grows with the position.

    Args:
        values: [tokens, heads, elements], an even number of them.
        positions: [tokens].
    """
    half = values.shape[-1] // 2
    frequencies = _BASE ** (-torch.arange(half, dtype=values.dtype, device=values.device) / half)
    angles = positions[:, None, None].to(values.dtype) * frequencies
    cosine, sine = angles.cos(), angles.sin()
    one, other = values[..., :half], values[..., half : 2 * half]
    return torch.cat([one * cosine - other * sine, one * sine + other * cosine], dim=-1)
