"""What a kernel's ids must be, checked without waiting for a device."""

from collections.abc import Sequence

import torch

from impl.kernels.lane import Lane
from impl.misuse import Misuse


def check_flat(field: str, ids: torch.Tensor, device: torch.device) -> None:
    """Raise Misuse unless these are ids in one row: a flat contiguous int64 tensor on a device."""
    check_ids(field, ids, device, (torch.int64,))
    if ids.ndim != 1:
        raise Misuse(field, tuple(ids.shape), "(shape) has not one dimension", "give a flat tensor")


def check_ids(field: str, ids: torch.Tensor, device: torch.device, dtypes: Sequence[torch.dtype]) -> None:
    """Raise Misuse unless these are ids: a contiguous tensor of one of these dtypes on a device."""
    names = " or ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)
    if not isinstance(ids, torch.Tensor):
        raise Misuse(field, type(ids), "not a tensor", f"give a {names} tensor")
    if ids.dtype not in dtypes:
        raise Misuse(field, ids.dtype, "these are no ids", f"give {names} elements")
    if ids.device != device:
        raise Misuse(field, ids.device, f"the kernel runs on {device}", "give ids on the same device")
    if not ids.is_contiguous():
        raise Misuse(field, ids.stride(), "(strides) there are gaps between its elements", "give a contiguous tensor")


def check_same_length(field: str, ids: torch.Tensor, other: str, others: torch.Tensor) -> None:
    """Raise Misuse unless two flat tensors are equally long."""
    if ids.numel() != others.numel():
        problem = f"{other} has {others.numel()} elements"
        raise Misuse(f"len({field})", ids.numel(), problem, "give as many of one as of the other")


def check_range(field: str, ids: torch.Tensor, below: int, lane: Lane) -> None:
    """Raise Misuse unless every id of the twin's is 0 <= id < below.

    Compiled kernels assert the same themselves, on the device and in debug mode only: to look at their ids here would
    be to wait for the device.
    """
    if lane == "triton" or ids.is_cuda or not ids.numel():
        return
    least, greatest = (int(end) for end in ids.aminmax())
    if least < 0 or greatest >= below:
        worst = least if least < 0 else greatest
        raise Misuse(field, worst, f"there are 0 to {below - 1} only", "give ones in that range")
