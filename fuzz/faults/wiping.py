"""Faults of pages that should begin as zeros."""

from collections.abc import Callable, Iterator
from typing import Any

from fuzz.faults.fault import fault, replaced
from fuzz.targets.simulated import SIMULATED
from impl.device.arena import ArenaDevice
from impl.device.immediate import ImmediateDevice
from impl.holders import Holders
from impl.steps import Steps

Method = Callable[..., Any]


@fault("device", "content", "sglang#33974")
def pages_are_not_wiped() -> Iterator[None]:
    """A page that should begin as zeros shows what was written there before, perhaps as another kind's."""
    with replaced(ImmediateDevice, "wipe_pages", lambda _: lambda *_: None):
        yield


@fault("device", "no-foreign-bytes", "sglang#38851", target=SIMULATED.name)
def pages_are_wiped_but_for_the_last() -> Iterator[None]:
    """Of several pages that should begin as zeros, the last one is forgotten."""

    def careless(wipe: Method) -> Method:
        return lambda self, band, pages: wipe(self, band, pages[:-1])

    with replaced(ArenaDevice, "wipe_pages", careless):
        yield


@fault("allocator", "transfers-meet-nothing", "sglang#9821")
def wiping_is_not_queued() -> Iterator[None]:
    """Nobody remembers that the allocator's stream may still write zeros, and a transfer may be given the page."""

    def careless(hand_out: Method) -> Method:
        def patched(self: Any, *arguments: Any) -> Any:
            with replaced(Holders, "enqueue", lambda _: lambda *_: None):
                return hand_out(self, *arguments)

        return patched

    with replaced(Steps, "_hand_out", careless):
        yield
