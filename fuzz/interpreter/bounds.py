"""Which bytes a launch may access: those of the tensors it was given."""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch

Addresses: TypeAlias = npt.NDArray[np.uint64]


class Bounds:
    """The spans of some tensors, by name.

    Args:
        tensors: with their names; of a tensor with gaps between its elements, the gaps count as its own.
    """

    def __init__(self, tensors: Iterable[tuple[str, torch.Tensor]]) -> None:
        self._named = [(name, begin, end) for name, tensor in tensors for begin, end in [_span(tensor)] if begin < end]
        merged: list[list[int]] = []
        for begin, end in sorted((begin, end) for _, begin, end in self._named):
            # those that share bytes are one span; those that only touch are two, which no access may straddle
            if merged and begin < merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([begin, end])
        self._begins = np.array([begin for begin, _ in merged], np.uint64)
        self._ends = np.array([end for _, end in merged], np.uint64)

    def outside(self, addresses: Addresses, size: int) -> Addresses:
        """Those of the addresses at which so many bytes do not all lie within one span."""
        if not self._begins.size:
            return addresses
        span = np.searchsorted(self._begins, addresses, side="right").astype(np.int64) - 1
        # subtraction instead of a sum, which could wrap around beyond the last address
        ends = self._ends[np.maximum(span, 0)]
        inside = (span >= 0) & (addresses < ends) & (ends - addresses >= np.uint64(size))
        found: Addresses = addresses[~inside]
        return found

    def place(self, address: int) -> str:
        """The nearest tensor, and how far from its first byte an address is."""
        if not self._named:
            return f"at {address:#x}, and the launch has no tensors"
        name, begin, end = min(self._named, key=lambda each: max(each[1] - address, address - each[2] + 1, 0))
        return f"at byte {address - begin} of {name}, which has {end - begin}"


def _span(tensor: torch.Tensor) -> tuple[int, int]:
    if not tensor.numel():
        return tensor.data_ptr(), tensor.data_ptr()
    last = sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()
