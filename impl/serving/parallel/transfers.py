"""Transfers on ranks: each sends to the rank of the peer that has the same share, and what became of it is agreed on.

A sender and a receiver of a rank are given these in the place of their own transport and device. Then they make the
same calls on all ranks, as long as they take the same messages in the same steps.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from impl.serving.parallel.group import Group
from impl.serving.transfer.tickets import CatchesUp
from impl.serving.transfer.transport import Fate, Peer, Stretch, Transport

_FATES: Final = tuple(Fate)


class AgreedTransport:
    """See `Transport`: a batch is there when it is there for all ranks, and has failed when it has for one.

    Args:
        group: of the ranks.
        transport: of this one.
    """

    def __init__(self, group: Group, transport: Transport[Any]) -> None:
        self._group, self._transport = group, transport

    @property
    def address(self) -> str:
        """See `Transport.address`."""
        return self._transport.address

    @property
    def base(self) -> int:
        """See `Transport.base`."""
        return self._transport.base

    def submit(self, peer: Peer, stretches: Sequence[Stretch]) -> Any:
        """See `Transport.submit`."""
        return self._transport.submit(peer, stretches)

    def fate(self, batch: Any) -> Fate:
        """See `Transport.fate`: it flies as long as it does for any rank."""
        own = _FATES.index(self._transport.fate(batch))
        fates = {_FATES[number] for (number,) in self._group.numbers([own])}
        return next(fate for fate in (Fate.FLYING, Fate.FAILED, Fate.LANDED) if fate in fates)

    def silence_after(self, peer: Peer) -> Callable[[], bool]:
        """See `Transport.silence_after`."""
        is_silent = self._transport.silence_after(peer)
        return lambda: _all(self._group, is_silent())


class AgreedDevice:
    """Says of a device whether it has caught up, as soon as those of all ranks have.

    Args:
        group: of the ranks.
        device: of this one.
    """

    def __init__(self, group: Group, device: CatchesUp) -> None:
        self._group, self._device = group, device

    def has_caught_up(self) -> bool:
        """See `ArenaDevice.has_caught_up`."""
        return _all(self._group, self._device.has_caught_up())


def _all(group: Group, own: bool) -> bool:
    return all(each for (each,) in group.numbers([own]))
