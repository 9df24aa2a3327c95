"""What became of a transfer is the same for all ranks: what the worst of them has seen."""

from itertools import product
from typing import Any

import pytest

from impl.serving.parallel.transfers import AgreedDevice, AgreedTransport
from impl.serving.transfer.transport import Fate, Peer

FATES = tuple(Fate)


class Others:
    """A group in which the others say what they are told to."""

    def __init__(self, *said: int) -> None:
        self._said = said

    def numbers(self, own: list[int]) -> list[tuple[int, ...]]:
        return [tuple(own), *((each,) for each in self._said)]


class Transport:
    """Of this rank, on which all is as it was made."""

    def __init__(self, fate: Fate, is_silent: bool) -> None:
        self._fate, self._is_silent = fate, is_silent

    def fate(self, batch: object) -> Fate:
        return self._fate

    def silence_after(self, peer: Peer) -> Any:
        return lambda: self._is_silent

    def has_caught_up(self) -> bool:
        return self._is_silent


@pytest.mark.parametrize("fates", [*product(FATES, repeat=3)])
def test_a_batch_flies_while_it_does_for_any_rank_and_has_failed_if_it_has_for_one(fates: tuple[Fate, ...]) -> None:
    own, *others = fates
    group: Any = Others(*map(FATES.index, others))
    rank: Any = Transport(own, is_silent=True)
    agreed = AgreedTransport(group, rank).fate(None)
    assert (agreed is Fate.FLYING) == (Fate.FLYING in fates)
    assert (agreed is Fate.LANDED) == (set(fates) == {Fate.LANDED})


@pytest.mark.parametrize("silent", [*product((False, True), repeat=2)])
def test_a_peer_is_silent_and_a_device_has_caught_up_once_they_are_and_have_for_all(silent: tuple[bool, bool]) -> None:
    own, other = silent
    group: Any = Others(other)
    rank: Any = Transport(Fate.LANDED, own)
    assert AgreedTransport(group, rank).silence_after(Peer("", 0))() == all(silent)
    assert AgreedDevice(group, rank).has_caught_up() == all(silent)
