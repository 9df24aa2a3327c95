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


def parse_bytes(field: str, text: str) -> int:
    """The bytes that a text such as `141GB` (decimal), `128 GiB` or `4096` means, rounded down.

    Raises:
        UsageError: it is no amount, or not 1 byte to 1 PiB; `field` names the option.
    """
    match = re.fullmatch(r"\s*(\d{1,20}(?:\.\d{1,9})?)\s*([a-zA-Z]*)\s*", text, re.ASCII)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise UsageError(field, text, "is no amount of memory", "write it as 141GB, 128GiB or in bytes")
    nbytes = int(Decimal(match[1]) * unit)
    if not 1 <= nbytes <= _MOST:
        raise UsageError(field, text, "is not 1 byte to 1 PiB", "write it as 141GB, 128GiB or in bytes")
    return nbytes
