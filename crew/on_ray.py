"""A crew on a Ray cluster: one that is there, or one of this machine alone."""

import os
import socket
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging import ERROR
from typing import Any, Final, Generic

from crew.given import Given, patience
from crew.words import TRIES, Done, Failed, J, NoCrew, R

STORE_BYTES: Final = 1 << 27
"""The object store of a cluster that is started here: what passes between its processes is small."""

QUIET: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}
"""Nothing is reported elsewhere."""

KNOCK_SECONDS: Final = 5.0
"""Seconds in which somebody must answer at an address that was given."""

LOOPBACK: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Despite its name, what makes a cluster that is started here listen on the loopback address alone, on any system.

Without it Ray looks for a cluster that is at that address at another one of this machine.
"""


@contextmanager
def on_ray(
    work: Callable[[J], R],
    size: int,
    *,
    address: str | None = None,
    limit: float | None = None,
) -> "Iterator[RayCrew[J, R]]":
    """Processes of a Ray cluster. One that is started here is gone when the block ends, however it ends.

    Where the cluster has GPUs, each job has one, or shares it where there are more jobs than GPUs.

    Args:
        work: does a job; a function of a module or a partial of one, sent to each node once.
        size: jobs that are done at once.
        address: of a cluster that is there; none for one of this machine alone.
        limit: seconds after which a job is stopped and has failed, the wait for a free process included.

    Raises:
        NoCrew: Ray is not installed, or the cluster does not answer.
    """
    os.environ.update({**QUIET, **LOOPBACK} if address is None or _is_loopback(address) else QUIET)
    try:
        import ray
    except ImportError as error:
        raise NoCrew("Ray is not installed", "pip install 'bandgap[cluster]', or use --engine local") from error
    if address:
        _knock(address)
    here: dict[str, Any] = {"num_cpus": size, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    try:
        ray.init(address or "local", log_to_driver=False, logging_level=ERROR, **({} if address else here))
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise NoCrew(f"Ray does not start: {error}", "give the --address of a cluster that runs") from error
    crew: RayCrew[J, R] | None = None
    try:
        crew = RayCrew(ray, work, size, limit)
        yield crew
    finally:
        if crew is not None:
            crew.end()
        ray.shutdown()


def _is_loopback(address: str) -> bool:
    return _parts(address)[0] in {"127.0.0.1", "localhost", "::1"}


def _parts(address: str) -> tuple[str, str]:
    """Host and port of `host:port`."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    return host.strip("[]"), port


def _knock(address: str) -> None:
    """Raise NoCrew where nobody answers at `host:port`, which Ray itself would try for minutes."""
    host, port = _parts(address)
    if not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise NoCrew(
            f"no cluster answers at {address}: {error}", "give the --address of a cluster that runs"
        ) from error


class RayCrew(Generic[J, R]):
    """See `crew.words.Crew`."""

    def __init__(self, ray: Any, work: Callable[[J], R], size: int, limit: float | None) -> None:
        self.size = size
        self._ray, self._limit = ray, limit
        self._work = ray.put(work)
        # each process sees one GPU; where there are more processes they share it
        gpus = min(1.0, int(10_000 * ray.cluster_resources().get("GPU", 0) / size) / 10_000)
        # a worker that dies is seen here, and its job is given to another
        self._remote = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=0)(_work_off)
        self._waiting: deque[Given[J]] = deque()
        self._running: dict[Any, Given[J]] = {}

    @property
    def busy(self) -> int:
        """See `Crew.busy`."""
        return len(self._waiting) + len(self._running)

    def give(self, job: J) -> None:
        """See `Crew.give`."""
        self._waiting.append(Given(job))
        self._share_out()

    def take(self, seconds: float | None = None) -> Done[J, R] | Failed[J] | None:
        """See `Crew.take`."""
        if not self.busy:
            raise ValueError("no job was given")
        until = float("inf") if seconds is None else time.monotonic() + seconds
        while True:
            self._share_out()
            timeout = patience(until, self._running.values())
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=timeout)
            for reference in ready:
                ended = self._heard(reference)
                if ended is not None:
                    return ended
            for reference, given in self._running.items():
                if given.is_late:
                    self._ray.cancel(reference, force=True)
                    del self._running[reference]
                    return Failed(given.job, f"it was stopped after {self._limit:.0f} seconds")
            if time.monotonic() >= until:
                return None

    def end(self) -> None:
        """No job is done any more."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running.clear()

    def _share_out(self) -> None:
        while self._waiting and len(self._running) < self.size:
            given = self._waiting.popleft()
            given.begin(self._limit)
            self._running[self._remote.remote(self._work, given.job)] = given

    def _heard(self, reference: Any) -> Done[J, R] | Failed[J] | None:
        given = self._running.pop(reference)
        errors = self._ray.exceptions
        try:
            is_done, said = self._ray.get(reference)
        except errors.RayTaskError as error:
            # what a job raises is told; this was raised before it began
            return Failed(given.job, f"a worker cannot do it: {error}")
        except errors.RayError as error:
            if given.tries >= TRIES:
                return Failed(given.job, f"its process ended {given.tries} times, at last with: {error}")
            self._waiting.appendleft(given)
            return None
        return Done(given.job, said) if is_done else Failed(given.job, said)


def _work_off(work: Callable[[J], R], job: J) -> tuple[bool, R | str]:
    try:
        return True, work(job)
    except Exception:
        return False, traceback.format_exc()
