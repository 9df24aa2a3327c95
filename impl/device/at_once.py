"""A runtime on the host that has done everything when it returns: for machines without a GPU."""

from typing import Final

import torch

from impl.device.runtime import Work
from impl.numbers import Int64

_HAPPENED: Final = object()


class AtOnceRuntime:
    """See `Runtime`. An event has happened when it is recorded, so nobody ever waits."""

    def __init__(self) -> None:
        self.host_waits = 0

    def launch(self, stream: str, work: Work) -> None:
        """See `Runtime.launch`."""
        for piece in work.pieces:
            piece.run()

    def record(self, stream: str) -> object:
        """See `Runtime.record`."""
        return _HAPPENED

    def wait(self, stream: str, event: object) -> None:
        """See `Runtime.wait`."""

    def transfer(self, work: Work) -> object:
        """See `Runtime.transfer`."""
        self.launch("", work)
        return _HAPPENED

    def is_done(self, event: object) -> bool:
        """See `Runtime.is_done`."""
        return True

    def synchronize(self, event: object) -> None:
        """See `Runtime.synchronize`."""
        self.host_waits += 1

    def empty(self, stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        """See `Runtime.empty`."""
        return torch.empty(count, dtype=dtype)

    def on_device(self, numbers: Int64) -> torch.Tensor:
        """See `Runtime.on_device`."""
        return torch.from_numpy(numbers)

    def for_kernels(self, tensor: torch.Tensor) -> torch.Tensor:
        """See `Runtime.for_kernels`."""
        return tensor
