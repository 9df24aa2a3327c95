"""A runtime on a GPU: streams and events of CUDA."""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from impl.device.runtime import Work
from impl.numbers import Int64


class TransferEnd:
    """The end of a transfer, as the network library tells it."""

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self.query = is_over

    def synchronize(self) -> None:
        """Ask until it is over."""
        while not self.query():
            pass


CudaEvent: TypeAlias = torch.cuda.Event | TransferEnd


class CudaRuntime:
    """See `Runtime`. Streams are made when they are first named; an engine gives those that it has already.

    Args:
        device: the GPU.
        streams: by name, those that work is put on elsewhere too.
    """

    def __init__(self, device: torch.device, streams: dict[str, torch.cuda.Stream] | None = None) -> None:
        self.host_waits = 0
        self._device = device
        self._streams = dict(streams or {})

    def launch(self, stream: str, work: Work) -> None:
        """See `Runtime.launch`."""
        with torch.cuda.stream(self._stream(stream)):
            for piece in work.pieces:
                piece.run()

    def record(self, stream: str) -> CudaEvent:
        """See `Runtime.record`."""
        event = torch.cuda.Event()  # type: ignore[no-untyped-call]  # torch's own
        event.record(self._stream(stream))
        return event

    def wait(self, stream: str, event: CudaEvent) -> None:
        """See `Runtime.wait`."""
        assert isinstance(event, torch.cuda.Event), "no stream waits for a transfer"
        self._stream(stream).wait_event(event)

    def transfer(self, work: Work) -> CudaEvent:
        """See `Runtime.transfer`: each piece hands its part to the network library."""
        assert work.is_over is not None, "the network library says when a transfer is over"
        for piece in work.pieces:
            piece.run()
        return TransferEnd(work.is_over)

    def is_done(self, event: CudaEvent) -> bool:
        """See `Runtime.is_done`."""
        done: bool = event.query()
        return done

    def synchronize(self, event: CudaEvent) -> None:
        """See `Runtime.synchronize`."""
        self.host_waits += 1
        event.synchronize()

    def empty(self, stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        """See `Runtime.empty`."""
        with torch.cuda.stream(self._stream(stream)):
            return torch.empty(count, dtype=dtype, device=self._device)

    def on_device(self, numbers: Int64) -> torch.Tensor:
        """See `Runtime.on_device`: copied from pinned memory, behind the stream on which the work is being put."""
        return torch.from_numpy(numbers).pin_memory().to(self._device, non_blocking=True)

    def for_kernels(self, tensor: torch.Tensor) -> torch.Tensor:
        """See `Runtime.for_kernels`."""
        return tensor

    def _stream(self, name: str) -> Any:
        if name not in self._streams:
            self._streams[name] = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]  # torch's own
        return self._streams[name]
