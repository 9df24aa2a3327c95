"""Faults of the device: waits and writes that do not happen."""

from collections.abc import Iterator

from fuzz.faults.fault import fault, replaced
from fuzz.targets.own import LandingDevice


@fault("device", "content", "trtllm#9056, sglang#38463")
def settling_waits_for_nothing() -> Iterator[None]:
    """A ticket is settled, and the stream does not wait for its writes."""
    with replaced(LandingDevice, "wait_for", lambda _: lambda *_: None):
        yield
