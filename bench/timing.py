"""How long something takes: the standard library only, so that a peer's process measures as ours does.

Time is that of the process on its CPUs, so that other processes of a busy machine are not in it; what is measured here
computes in one thread and waits for nothing.
"""

from collections.abc import Callable
from functools import partial
from time import process_time


def per_second(work: Callable[[], object], seconds: float) -> float:
    """How often per second something can be done, from enough calls in a row to take so long."""
    calls = 1
    while True:
        took = seconds_of(partial(_repeat, work, calls))
        if took >= seconds:
            return calls / took
        calls = max(2 * calls, int(1.2 * calls * seconds / max(took, 1e-6)))


def seconds_of(work: Callable[[], object]) -> float:
    """How long one call takes, in seconds."""
    begun = process_time()
    work()
    return process_time() - begun


def _repeat(work: Callable[[], object], calls: int) -> None:
    for _ in range(calls):
        work()
