"""The arena's bytes where the host cannot reach them: it reads copies, and waits for everything before."""

import numpy as np
import numpy.typing as npt

from fuzz.contents.memory import SINK, Memory
from gpu_tests.allocator.target import StreamBuilt


class DeviceMemory(Memory):
    """See `Memory`. Only for the driver, which may wait."""

    def __init__(self, built: StreamBuilt) -> None:
        self._device = built.device
        super().__init__(built)

    def _take_arena(self) -> None:
        self._device.observed.run_all()
        self._device.arena[: self._device.chain.base].fill_(SINK)
        self._device.observed.run_all()

    def write(self, band: int, page: int, value: int) -> None:
        """Nothing: tickets write on the device."""

    def shows(self, band: int, page: int, value: int) -> bool:
        """See `Memory.shows`."""
        return self.wrong_byte(band, page, value) is None

    def first_wrong_byte(self, band: int, page: int, value: int) -> int:
        """See `Memory.first_wrong_byte`."""
        wrong = self.wrong_byte(band, page, value)
        assert wrong is not None, "asked where a page is wrong that shows its value"
        return wrong

    def sink_is_untouched(self) -> bool:
        """See `Memory.sink_is_untouched`."""
        return bool((self._device.arena[: self._device.chain.base] == SINK).all())

    def _page(self, band: int, page: int) -> npt.NDArray[np.uint8]:
        geometry = self._device.chain.bands[band]
        begin = geometry.origin + page * geometry.page_bytes
        copied: npt.NDArray[np.uint8] = self._device.arena[begin : begin + geometry.page_bytes].cpu().numpy()
        return copied
