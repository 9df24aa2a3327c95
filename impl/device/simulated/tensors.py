"""A tensor that notices when the host reads it."""

from collections.abc import Callable
from typing import Any, ClassVar

import torch


class Watched(torch.Tensor):
    """A tensor in device memory as the host has it: to read its numbers is to wait for the device."""

    READS: ClassVar = frozenset(
        {"item", "tolist", "numpy", "cpu", "nonzero", "__bool__", "__int__", "__float__", "__index__", "__contains__"}
    )
    waited: Callable[[], None]

    @classmethod
    def over(cls, tensor: torch.Tensor, waited: Callable[[], None]) -> "Watched":
        """The same memory as a tensor; `waited` is called whenever the host reads it."""
        watched = tensor.as_subclass(cls)
        watched.waited = waited
        return watched

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(function, "__name__", "")
        watched = next((arg for arg in args if isinstance(arg, cls)), None)
        waited = getattr(watched, "waited", None)
        if name in cls.READS and waited is not None:
            waited()
        result = super().__torch_function__(function, types, args, kwargs or {})  # type: ignore[no-untyped-call]  # torch's own
        if isinstance(result, cls) and waited is not None:
            result.waited = waited
        return result
