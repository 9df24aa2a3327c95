"""Reads single fields of a line of traffic; whatever is wrong names the line, the field, the value and the remedy."""

import math
from typing import Any

from replay.errors import ReplayError
from replay.traffic.traffic import LONGEST


def tokens(field: str, value: Any, line: int) -> int:
    """A count of tokens, 1 or more."""
    if isinstance(value, str):
        value = value.strip()
        if not (value.isascii() and value.isdigit() and len(value) < 12):
            raise ReplayError(field, value, "is no count of tokens", "write a whole number", line)
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ReplayError(field, value, "is no count of tokens", "write a whole number", line)
    if value < 1:
        raise ReplayError(field, value, "must be at least 1", "leave the request out if it had none", line)
    if value > LONGEST:
        raise ReplayError(field, value, f"is more than {LONGEST:,} tokens", "correct it", line)
    return value


def seconds(field: str, value: Any, line: int, unit: float = 1.0) -> float:
    """A time of `unit` seconds each."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ReplayError(field, value, "is no time", "write a number", line)
    return number * unit


def field_of(row: dict[str, Any], names: tuple[str, ...], line: int) -> tuple[str, Any]:
    """The first of these fields that a row has, and its value."""
    for name in names:
        if row.get(name) is not None:
            return name, row[name]
    raise ReplayError(names[0], None, "is missing", f"give one of {', '.join(names)}", line)
