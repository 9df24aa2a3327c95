"""Amounts of memory, as people write them."""

import re
from decimal import Decimal

from bandgap.errors import UsageError

_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_MOST = 2**50
_LEAST_WITHOUT_UNIT = 10**6
"""A smaller number alone is an amount whose unit was forgotten."""


def parse_bytes(field: str, text: str) -> int:
    """The bytes that a text such as `141GB` (decimal), `128 GiB`, `4096B` or `141000000000` means, rounded down.

    Raises:
        UsageError: it is no amount, a small number without a unit, or not 1 byte to 1 PiB; `field` names the option.
    """
    match = re.fullmatch(r"\s*(\d{1,20}(?:\.\d{1,9})?)\s*([a-zA-Z]*)\s*", text, re.ASCII)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise UsageError(field, text, "is no amount of memory", "write it as 141GB, 128GiB or in bytes")
    if not match[2] and Decimal(match[1]) < _LEAST_WITHOUT_UNIT:
        number = match[1]
        raise UsageError(field, text, "has no unit", f"write {number}GB, or {number}B if it is bytes that you mean")
    nbytes = int(Decimal(match[1]) * unit)
    if not 1 <= nbytes <= _MOST:
        raise UsageError(field, text, "is not 1 byte to 1 PiB", "write it as 141GB, 128GiB or in bytes")
    return nbytes
