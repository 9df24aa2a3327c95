"""Faults of the device: waits and writes that do not happen."""

from collections.abc import Callable, Iterator
from typing import Any

from fuzz.faults.fault import fault, replaced
from fuzz.targets.own import LandingDevice
from impl.device.views import page_view
from impl.numbers import Int64
from impl.steps import Steps


@fault("device", "content", "trtllm#9056, sglang#38463")
def settling_waits_for_nothing() -> Iterator[None]:
    """A ticket is settled, and the stream does not wait for its writes."""
    with replaced(LandingDevice, "wait_for", lambda _: lambda *_: None):
        yield


@fault("device", "held-bytes-frozen", "sglang#14209")
def freed_pages_are_zeroed_under_their_readers() -> Iterator[None]:
    """The bytes of a page are zeroed as soon as it is freed, although a ticket still reads them."""

    def careless(free: Callable[..., None]) -> Callable[..., None]:
        def patched(self: Any, number: int, ids: Int64) -> None:
            band = self._bands[number]
            page_view(self._device.arena, band.geometry)[band.ids.page_of[ids]] = 0
            free(self, number, ids)

        return patched

    with replaced(Steps, "free", careless):
        yield
