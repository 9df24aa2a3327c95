"""The element types of rows. Not torch's, so that a layout can be worked out without torch."""

from enum import Enum


class DType(Enum):
    """An element type, by the name that commands and reports use."""

    FP32 = "fp32"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8_E4M3 = "fp8_e4m3"
    UINT8 = "uint8"

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return _ITEMSIZE[self]


_ITEMSIZE = {DType.FP32: 4, DType.BF16: 2, DType.FP16: 2, DType.FP8_E4M3: 1, DType.UINT8: 1}
