"""Whether pages share bytes with pages of another size, whatever band both belong to."""

import numpy as np
import numpy.typing as npt

from impl.chain import BandGeometry
from impl.numbers import Int64


def sharing_bytes(band: BandGeometry, pages: Int64, other: BandGeometry, its_pages: Int64) -> npt.NDArray[np.bool_]:
    """Which pages of a band share a byte with any of some pages of the same or another band.

    Takes time proportional to both, and to sort the others.

    Args:
        band: of the pages.
        pages: any number of them.
        other: the band of the others.
        its_pages: at least one.
    """
    begins = other.origin + np.sort(its_pages) * other.page_bytes
    first = band.origin + pages * band.page_bytes
    # of the others, the last that begins before a page ends
    last = np.searchsorted(begins, first + band.page_bytes) - 1
    shares: npt.NDArray[np.bool_] = (last >= 0) & (begins[last] + other.page_bytes > first)
    return shares
