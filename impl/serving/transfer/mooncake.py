"""Mooncake's transfer engine over TCP, each page a request of its own."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import torch

from impl.misuse import Misuse
from impl.serving.transfer.sockets import listening, unread
from impl.serving.transfer.transport import MOST_AT_ONCE, Fate, Peer, Stretch

DEFAULT_PROGRESS: Final = 5
"""Seconds without progress after which Mooncake takes a connection to be lost."""

_TIMEOUTS: Final = ("MC_TCP_PROGRESS_TIMEOUT_SEC", "MC_TCP_STATUS_TIMEOUT_SEC")
_PACKAGE: Final = "mooncake-transfer-engine-non-cuda"
_NONE: Final = frozenset({0, -1, (1 << 64) - 1})
"""What Mooncake answers when it takes no request."""
_DONE: Final = 1
_BROKEN: Final = -1


@dataclass(eq=False)
class MooncakeBatch:
    """Requests that were submitted at once.

    Attributes:
        submitted: their numbers, once Mooncake has taken them; fewer if it took no more.
        left: those of which the end was not seen; None before.
        failed: whether one of them failed.
    """

    submitted: Future[list[int]]
    count: int
    left: list[int] | None = None
    failed: bool = field(default=False)


class MooncakeTransport:
    """Sends from one arena and receives in it.

    Mooncake asks nobody before it writes: whoever knows an address of the arena can write there at any time, and what
    it calls a timeout stops nothing. So the end of each request is waited for by itself, since the status of a batch
    is that of its first request; and of what a dead process had sent, it is the kernel that knows when all is read.

    It listens on all addresses of its network namespace, and no peer has to say who it is. Keep it in a network of
    its own.

    Args:
        arena: a flat uint8 tensor in the host's memory; registered for as long as the process lives.
        host: the address by which peers reach this process.
        progress: seconds after which Mooncake takes a connection to be lost; of all transports of a process.

    Attributes:
        address: where peers reach it; another one for each life of a process.
        base: the address of the arena's first byte.

    Raises:
        Misuse: Mooncake is not there, or does not begin.
    """

    def __init__(self, arena: torch.Tensor, host: str = "127.0.0.1", *, progress: int = DEFAULT_PROGRESS) -> None:
        for name in _TIMEOUTS:
            os.environ[name] = str(progress)
        self._engine = _engine()
        before = listening()
        if status := self._engine.initialize(host, "P2PHANDSHAKE", "tcp", ""):
            raise Misuse(
                "host", host, f"Mooncake's engine does not begin there (status {status})", "give an own address"
            )
        self.base = arena.data_ptr()
        if status := self._engine.register_memory(self.base, arena.nbytes):
            raise Misuse(
                "arena", arena.nbytes, f"Mooncake does not take its bytes (status {status})", "give host memory"
            )
        self.address = f"{host}:{self._engine.get_rpc_port()}"
        self._ports = listening() - before
        # opening a connection can take seconds, and the thread that serves has none
        self._submitting = ThreadPoolExecutor(1, "mooncake")

    def submit(self, peer: Peer, stretches: Sequence[Stretch]) -> MooncakeBatch:
        """See `Transport.submit`."""
        assert 0 < len(stretches) <= MOST_AT_ONCE, "larger batches take connections from others"
        return MooncakeBatch(self._submitting.submit(self._submit, peer, stretches), len(stretches))

    def fate(self, batch: MooncakeBatch) -> Fate:
        """See `Transport.fate`."""
        if batch.left is None:
            if not batch.submitted.done():
                return Fate.FLYING
            batch.left = batch.submitted.result()
            batch.failed = len(batch.left) < batch.count
        flying = []
        for number in batch.left:
            # a number is void once its end was seen
            status = self._engine.transfer_check_status(number)
            if status == _BROKEN:
                batch.failed = True
            elif status != _DONE:
                flying.append(number)
        batch.left = flying
        if flying:
            return Fate.FLYING
        return Fate.FAILED if batch.failed else Fate.LANDED

    def silence_after(self, peer: Peer) -> Callable[[], bool]:
        """See `Transport.silence_after`; never, where the kernel does not say.

        Every connection of the dead peer's host counts that is there now, also if it is another process's.
        """
        host = peer.address.rsplit(":", 1)[0]
        before = unread(self._ports, host)
        return lambda: bool(self._ports) and not before & unread(self._ports, host)

    def _submit(self, peer: Peer, stretches: Sequence[Stretch]) -> list[int]:
        numbers: list[int] = []
        for source, target, size in stretches:
            number = self._engine.transfer_submit_write(peer.address, self.base + source, peer.base + target, size)
            if number in _NONE:
                break
            numbers.append(number)
        return numbers


def _engine() -> Any:
    try:
        from mooncake.engine import TransferEngine
    except ImportError as error:
        remedy = (
            f"install `bandgap[transfer]`, and Debian's libibverbs1 or what brings libibverbs.so.1 elsewhere ({error})"
        )
        raise Misuse("transport", "mooncake", f"{_PACKAGE} cannot be loaded", remedy) from error
    return TransferEngine()
