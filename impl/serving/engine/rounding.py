"""Numbers through the dtype they are kept in."""

from typing import Final

import torch

_LARGEST_FP8: Final = 448.0
"""Of `float8_e4m3fn`, which has no infinity: what is larger becomes no number (OCP 8-bit floating point, 2023)."""


def kept(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The values in a row's dtype."""
    if dtype is torch.float8_e4m3fn:
        values = values.clamp(-_LARGEST_FP8, _LARGEST_FP8)
    return values.to(dtype)
