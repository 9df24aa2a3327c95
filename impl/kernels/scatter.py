"""64 bits in which neighbouring numbers have nothing in common (splitmix64)."""

from typing import Final

GOLDEN: Final = 0x9E3779B97F4A7C15
"""2**64 over the golden ratio, odd: the step between neighbours."""
SHIFTS: Final = (30, 27, 31)
FACTORS: Final = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
FINITE: Final = 0xBFBFBFBFBFBFBFBF
"""Keeps every bit but bit 6 of each byte: in the most significant byte it belongs to the exponent, in every dtype."""

_MASK: Final = (1 << 64) - 1


def mixed(value: int) -> int:
    """The 64 bits of a number, mixed; unsigned."""
    for shift, factor in zip(SHIFTS, FACTORS, strict=False):
        value &= _MASK
        value = (value ^ value >> shift) * factor
    value &= _MASK
    return value ^ value >> SHIFTS[-1]


def signed(value: int) -> int:
    """The same 64 bits as a signed number."""
    value &= _MASK
    return value - (1 << 64) if value >> 63 else value
