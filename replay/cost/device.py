"""Devices, by the rates that their makers state."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class DeviceRates:
    """What a device could do at best."""

    name: str
    memory_bytes: int
    bytes_per_second: float
    """The bandwidth of device memory, reads and writes together."""
    flops: float
    """Dense bf16 operations per second, a multiply-add being two."""
    source: str


H200: Final = DeviceRates(
    "h200", 141 * 10**9, 4.8e12, 989e12, "NVIDIA H200 datasheet: 141 GB, 4.8 TB/s, 1,979 TFLOPS bf16 with sparsity"
)
H100: Final = DeviceRates(
    "h100", 80 * 10**9, 3.35e12, 989e12, "NVIDIA H100 SXM datasheet: 80 GB, 3.35 TB/s, 1,979 TFLOPS bf16 with sparsity"
)
DEVICES: Final = {device.name: device for device in (H200, H100)}
