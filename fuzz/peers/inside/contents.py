"""What the pages of an arena must hold: every page that was written shows a pattern of its own."""

from __future__ import annotations

from functools import cache

MARK_BYTES = 8
"""A pattern is told from any other by this many bytes of it."""


@cache
def _ground(size: int) -> int:
    """Bytes that differ from place to place, so that rows that were exchanged within a page show."""
    return int.from_bytes(bytes((7 * place + 13 * (place >> 8) + 1) & 0xFF for place in range(size)), "little")


def pattern(mark: int, size: int) -> bytes:
    """So many bytes that show a mark of at most 8 bytes."""
    repeated = (mark.to_bytes(MARK_BYTES, "little") * (size // MARK_BYTES + 1))[:size]
    return (_ground(size) ^ int.from_bytes(repeated, "little")).to_bytes(size, "little")
