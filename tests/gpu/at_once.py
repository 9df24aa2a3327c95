"""A runtime that does everything when it is asked to: what runs on a GPU's streams can be followed without one."""

from collections.abc import Callable
from contextlib import nullcontext

import torch

from gpu_tests.allocator.place import Place
from impl.device.runtime import Work
from impl.numbers import Int64


class AtOnce:
    """See `gpu_tests.allocator.place.Observed`."""

    def __init__(self) -> None:
        self.host_waits = 0
        self.observe: Callable[[int | None], None] = lambda _: None

    def launch(self, stream: str, work: Work) -> None:
        for piece in work.pieces:
            piece.run()

    def record(self, stream: str) -> object:
        return object()

    def wait(self, stream: str, event: object) -> None:
        pass

    def transfer(self, work: Work) -> object:
        self.launch("wire", work)
        return object()

    def is_done(self, event: object) -> bool:
        return True

    def synchronize(self, event: object) -> None:
        self.host_waits += 1

    def empty(self, stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        tensor = torch.empty(count, dtype=dtype)
        tensor.view(torch.uint8).fill_(0xFF)
        return tensor

    def on_device(self, numbers: Int64) -> torch.Tensor:
        return torch.from_numpy(numbers)

    def for_kernels(self, tensor: torch.Tensor) -> torch.Tensor:
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
