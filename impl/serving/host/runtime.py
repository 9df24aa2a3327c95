"""An arena in the host's pinned memory: the same device as in the arena of the accelerator, under other names."""

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import torch

from impl.chain import Chain
from impl.device.arena import ALLOCATOR, ArenaDevice
from impl.device.runtime import Piece, Runtime, Touch, Work
from impl.numbers import Int64

HOST: Final = "host "
"""Stands before the names of the host arena's memories, and of its allocator's stream."""

Pinned: TypeAlias = Callable[[int, torch.dtype], torch.Tensor]
"""Gives pinned memory for so many elements."""


class HostRuntime:
    """See `Runtime`. It has its own memories and its allocator's own stream; all other streams are the accelerator's.

    Pages of the host arena are moved by the host itself. With an accelerator that is at once, which is right because
    the host arena's tickets are completed and never settled: what no ticket holds, no copy in flight can touch.

    Args:
        runtime: of the accelerator.
        pinned: where memory comes from; from the runtime, if host and accelerator have the same.
    """

    def __init__(self, runtime: Runtime[Any], pinned: Pinned | None = None) -> None:
        self._runtime, self._pinned = runtime, pinned

    def launch(self, stream: str, work: Work) -> None:
        """See `Runtime.launch`."""
        self._runtime.launch(_renamed(stream), self._beside(work))

    def record(self, stream: str) -> Any:
        """See `Runtime.record`."""
        return self._runtime.record(_renamed(stream))

    def wait(self, stream: str, event: Any) -> None:
        """See `Runtime.wait`."""
        self._runtime.wait(_renamed(stream), event)

    def transfer(self, work: Work) -> Any:
        """See `Runtime.transfer`."""
        return self._runtime.transfer(self._beside(work))

    def is_done(self, event: Any) -> bool:
        """See `Runtime.is_done`."""
        return self._runtime.is_done(event)

    def synchronize(self, event: Any) -> None:
        """See `Runtime.synchronize`."""
        self._runtime.synchronize(event)

    @property
    def host_waits(self) -> int:
        """See `Runtime.host_waits`: those of the accelerator's."""
        return self._runtime.host_waits

    def empty(self, stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        """See `Runtime.empty`."""
        if self._pinned is not None:
            return self._pinned(count, dtype)
        return self._runtime.empty(_renamed(stream), count, dtype)

    def on_device(self, numbers: Int64) -> torch.Tensor:
        """See `Runtime.on_device`: where the host is."""
        return torch.from_numpy(numbers)

    def for_kernels(self, tensor: torch.Tensor) -> torch.Tensor:
        """See `Runtime.for_kernels`."""
        return self._runtime.for_kernels(tensor)

    def _beside(self, work: Work) -> Work:
        pieces = tuple(Piece(piece.run, _on_host(piece)) for piece in work.pieces)
        return Work(f"{HOST}{work.name}", pieces, work.ticket, work.is_over)


def host_touch(touch: Touch) -> Touch:
    """A touch of the host arena, as its device tells it, under the host's names."""
    return touch._replace(memory=f"{HOST}{touch.memory}", what=f"{HOST}{touch.what}")


def on_host(runtime: Runtime[Any], pinned: Pinned | None = None) -> Callable[[Chain], ArenaDevice[Any]]:
    """Makes the device of a host arena's allocator; see `HostRuntime`."""
    return lambda chain: ArenaDevice(chain, HostRuntime(runtime, pinned))


def _renamed(stream: str) -> str:
    return f"{HOST}{stream}" if stream == ALLOCATOR else stream


def _on_host(piece: Piece) -> Callable[[], Iterator[Touch]]:
    return lambda: map(host_touch, piece.touches())
