"""Places rows in an entry."""

from collections.abc import Iterable

from impl.layout.kinds import Row
from impl.layout.stored import Stored

# The widest load of a GPU thread; it is also a multiple of every dtype's size.
ALIGNMENT = 16


def aligned(nbytes: int) -> int:
    """The least multiple of 16 that is not below a number of bytes."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def place(parts: Iterable[Stored]) -> tuple[tuple[Row, ...], int]:
    """Rows one after the other, each beginning at a multiple of 16, and the bytes of the entry they make."""
    rows = []
    end = 0
    for part in parts:
        row = Row(part.layer, part.part, part.shape, part.dtype, aligned(end), part.draft)
        rows.append(row)
        end = row.offset + row.nbytes
    return tuple(rows), aligned(end)
