"""The stage on real streams: the same calls as on a simulated device, and work is done when the device comes to it."""

from collections.abc import Callable
from typing import Any

from fuzz.contents.memory import Memory
from fuzz.contents.patterns import Patterns
from fuzz.simulated.stage import LateStage, Workshop
from fuzz.stage import Result
from fuzz.targets.protocol import Built
from fuzz.violation import Violation
from gpu_tests.allocator.memory import DeviceMemory
from gpu_tests.allocator.target import StreamBuilt
from gpu_tests.allocator.work import StreamWorks


class StreamStage(LateStage):
    """See `LateStage`. No call of the allocator may wait for the device."""

    def _memory_of(self, built: Built) -> Memory:
        assert isinstance(built, StreamBuilt)  # a target on streams builds it
        return DeviceMemory(built)

    def _workshop(self) -> Workshop:
        built = self.built
        assert isinstance(built, StreamBuilt)  # a target on streams builds it
        patterns = [Patterns(band, built.allocator.view) for band in built.device.chain.bands]
        works = StreamWorks(built.device, built.place, patterns, self._landed, self._misread, self._misled)
        built.device.observed.observe = works.observe
        return Workshop(built.device, built.device.observed, works)

    def _made(self, name: str, make: Callable[..., Result], *arguments: Any, **named: Any) -> Result | None:
        assert isinstance(self.built, StreamBuilt)  # a target on streams builds it
        place = self.built.place

        def unwaiting() -> Result:
            with place.unwaiting():
                try:
                    return make(*arguments, **named)
                except RuntimeError as error:
                    if "synchronizing" in str(error):
                        raise Violation("no-host-sync", f"{name} waited for the device: {error}") from error
                    raise

        return super()._made(name, unwaiting)
