"""Interrupts that wait for what must not be cut in two."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
"""Those that end a process that somebody waits for."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C, and whatever is answered like it, takes effect at the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        # Python's handlers run in the main thread alone
        yield
        return
    # handlers, not a mask: another thread's mask would let a signal of the process through
    came: list[int] = []
    before = {each: signal.signal(each, lambda number, _: came.append(number)) for each in SIGNALS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    for number in came:
        signal.raise_signal(number)
