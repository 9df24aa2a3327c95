"""Which of a function's two bodies runs: its torch twin or its Triton kernel."""

import os
from typing import Final, Literal, TypeAlias

import torch

from impl.misuse import Misuse

Lane: TypeAlias = Literal["twin", "triton"]

INTERPRETED: Final = os.environ.get("TRITON_INTERPRET") == "1"
"""Whether kernels are interpreted on the host, which Triton decides once, where a kernel is decorated."""


def lane_for(tensor: torch.Tensor, asked: Lane | None) -> Lane:
    """The lane that was asked for; else Triton's for CUDA tensors and wherever kernels are interpreted, or the twin's.

    Args:
        tensor: what the function works on.
        asked: a lane, or None.

    Raises:
        Misuse: there is no such lane, or Triton's is asked for on CPU tensors that no interpreter takes.
    """
    usable = tensor.is_cuda or INTERPRETED
    if asked is None:
        return "triton" if usable else "twin"
    if asked not in {"twin", "triton"}:
        raise Misuse("lane", asked, "there is no such lane", "give 'twin', 'triton' or None")
    if asked == "triton" and not usable:
        raise Misuse(
            "lane",
            asked,
            f"compiled kernels cannot reach a tensor on {tensor.device}",
            "set TRITON_INTERPRET=1 before impl.kernels is imported, give CUDA tensors, or take the twin",
        )
    return asked
