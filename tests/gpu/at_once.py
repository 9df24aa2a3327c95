"""A runtime that does everything when it is asked to: what runs on a GPU's streams can be followed without one."""

from collections.abc import Callable
from contextlib import nullcontext

import torch

from gpu_tests.allocator.place import Place
from impl.device.at_once import AtOnceRuntime
from impl.device.runtime import Work


class AtOnce(AtOnceRuntime):
    """See `gpu_tests.allocator.place.Observed`."""

    def __init__(self) -> None:
        super().__init__()
        self.observe: Callable[[int | None], None] = lambda _: None

    def empty(self, stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        tensor = torch.empty(count, dtype=dtype)
        tensor.view(torch.uint8).fill_(0xFF)
        return tensor

    def choices(self) -> int:
        return 1

    def step(self, choice: int) -> None:
        pass

    def run_towards(self, event: object) -> None:
        pass

    def run_through(self, work: Work) -> None:
        self.observe(work.ticket)

    def run_all(self) -> None:
        self.observe(None)


HERE = Place(torch.device("cpu"), AtOnce, nullcontext, lambda work: work, pinned=False)
