"""Interrupts that wait for what must not be cut in two."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def undisturbed() -> Iterator[None]:
    """An interrupt that comes inside the block is handled at its end."""
    if threading.current_thread() is not threading.main_thread():
        # only the main thread is ever interrupted
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    before = {each: signal.signal(each, lambda *said: came.append(said)) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    for number, _ in came:
        signal.raise_signal(number)
