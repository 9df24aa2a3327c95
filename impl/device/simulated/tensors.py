"""A tensor that notices when the host reads it."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import torch


class Watched(torch.Tensor):
    """A tensor in device memory as the host has it: to read its numbers is to wait for the device.

    So is to ask for what is as long as its numbers say: where they are not zero, or those that a mask chooses.
    """

    READS: ClassVar = frozenset(
        {
            *("item", "tolist", "numpy", "cpu", "__array__", "__dlpack__", "storage", "untyped_storage"),
            *("__bool__", "__int__", "__float__", "__complex__", "__index__", "__contains__"),
            *("__repr__", "__format__", "equal", "allclose", "is_nonzero"),
            *("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "bincount"),
        }
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
        named = kwargs or {}
        waited = next((each.waited for each in _tensors((args, named)) if hasattr(each, "waited")), None)
        if waited is not None and _reads(getattr(function, "__name__", ""), args, named):
            waited()
        result = super().__torch_function__(function, types, args, named)  # type: ignore[no-untyped-call]  # torch's own
        if waited is not None:
            for each in _tensors(result):
                if isinstance(each, cls):
                    each.waited = waited
        return result


def _reads(name: str, args: Any, named: Any) -> bool:
    """Whether the host learns a number by this call."""
    if name in Watched.READS:
        return True
    if name in {"__getitem__", "__setitem__"}:
        return any(each.dtype is torch.bool for each in _tensors(args[1]))
    return name == "where" and len(args) + len(named) == 1


def _tensors(given: object) -> Iterator[Any]:
    """The tensors among what a function takes or gives."""
    if isinstance(given, torch.Tensor):
        yield given
    elif isinstance(given, list | tuple | dict):
        for each in given.values() if isinstance(given, dict) else given:
            yield from _tensors(each)
