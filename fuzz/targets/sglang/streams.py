"""The device as SGLang's allocator knows it: events of forwards in flight, and a stream that can wait for them.

On a CPU everything is done when it is asked for. So a stream that is made to wait for an event lets the forward run to
its end there and then: whatever is asked for later comes after it, which is all that waiting promises.
"""

from collections.abc import Callable
from typing import Any

import torch


class Event:
    """Recorded behind a forward. `wait` lets the forward run to its end, once."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.fired = False
        self._run = run

    def query(self) -> bool:
        """The forward is over."""
        return self.fired

    def wait(self) -> None:
        """Whatever comes after this comes after the forward."""
        if not self.fired:
            self.fired = True
            self._run()

    synchronize = wait


class Stream:
    """The stream of the allocator, or of forwards."""

    def __init__(self) -> None:
        self.last: Event | None = None
        """Of the stream's last forward."""

    def wait_event(self, event: Event) -> None:
        """What is asked for later comes after the event's forward."""
        event.wait()

    def wait_stream(self, other: "Stream") -> None:
        """What is asked for later comes after everything on the other stream."""
        if other.last is not None:
            other.last.wait()

    def synchronize(self) -> None:
        """Everything is over already."""


def install() -> None:
    """Let the allocator find its stream where it looks for one."""
    stream = Stream()

    def current(*_: Any, **__: Any) -> Stream:
        return stream

    torch.cuda.current_stream = current  # type: ignore[assignment]  # there is no CUDA here whose stream it could be
