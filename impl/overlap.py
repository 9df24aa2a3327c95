"""What lies at the bytes of a page, whatever band it belongs to and however large its pages are."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from impl.chain import BandGeometry
from impl.numbers import Int64

FEW: Final = 8
"""Pages that are looked at one by one faster than all at once."""


def at_bytes_above(
    band: BandGeometry, pages: Int64, other: BandGeometry, levels: npt.NDArray[Any], level: int
) -> npt.NDArray[np.bool_]:
    """Which pages of a band share a byte with any page of the same or another band that is above a level.

    Takes time proportional to the pages of the other band that lie at these bytes.

    Args:
        band: of the pages.
        pages: any number of them.
        other: the band of the others.
        levels: of each of the others.
        level: that counts when it is exceeded.
    """
    if pages.size <= FEW:
        return np.array([_is_above(band, page, other, levels, level) for page in pages.tolist()], np.bool_)
    begins = band.origin + pages * band.page_bytes - other.origin
    first = np.maximum(begins // other.page_bytes, 0)
    end = np.minimum(-(-(begins + band.page_bytes) // other.page_bytes), len(levels))
    counts = np.maximum(end - first, 0)
    # the others of all pages in one row
    row = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    above: npt.NDArray[np.bool_] = np.zeros(pages.size, np.bool_)
    above[np.repeat(np.arange(pages.size), counts)[levels[row] > level]] = True
    return above


def _is_above(band: BandGeometry, page: int, other: BandGeometry, levels: npt.NDArray[np.uint8], level: int) -> bool:
    begin = band.origin + page * band.page_bytes - other.origin
    there = levels[max(begin // other.page_bytes, 0) : max(-(-(begin + band.page_bytes) // other.page_bytes), 0)]
    return bool(there.size) and bool(there[there.argmax()] > level)
